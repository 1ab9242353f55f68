import { Link } from '@tanstack/react-router';
import { count, counted } from 'quarry-text/numbers';
import type { Schemas } from '../../api/client.ts';
import { HeldBack } from '../../parts/connection/held-back.tsx';
import { Banner } from '../../ui/banner.tsx';

type Connection = Schemas['SourceConnection'];

/** Shows what somebody must decide, with the way on: one thing at once, and how many more there are. */
export function Attention({
  connections,
  mayChange,
}: {
  readonly connections: readonly Connection[];
  readonly mayChange: boolean;
}) {
  const refused = connections.filter(({ status }) => status === 'NEEDS_REAUTH');
  const heldBack = connections.filter((one) => one.deletions_held_back !== null);
  const [held] = heldBack;
  const [first] = refused;
  const more = refused.length + heldBack.length - 1;
  if (more < 0) return null;
  return (
    <>
      {held ? (
        <HeldBack connection={held} mayChange={mayChange} />
      ) : (
        first && <SignIn connection={first} />
      )}
      {more > 0 && (
        <p className="small soft">
          {count(more)} more below {more === 1 ? 'needs' : 'need'} a decision, too.
        </p>
      )}
    </>
  );
}

const SignIn = ({
  connection: { id, name, readable_collection_id, entities },
}: {
  readonly connection: Connection;
}) => (
  <Banner
    tone="bad"
    title={`${name} refuses the sign-in`}
    actions={
      <Link
        to="/collections/$collection/connections/$connection"
        params={{ collection: readable_collection_id, connection: id }}
        className="btn"
      >
        Open it
      </Link>
    }
  >
    Nothing new comes from it until somebody signs in again. Its{' '}
    {counted(entities.total_entities, 'record')} can still be found.
  </Banner>
);

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from 'quarry-text/numbers';
import { collectionsQuery, sourcesQuery } from '../../api/queries.ts';
import { SAMPLE } from '../../lib/first-run.ts';
import { SourceTile } from '../../ui/source-tile.tsx';

/** They show how different sources are; the list of all is one click away. */
const SHOWN = ['postgresql', 'github', 'notion', 'google_drive', 'slack', 'linear', 'jira', 'web'];

/** Shows what else Quarry can read, and what there is to search while one waits. `own` is the collection of the run. */
export function Also({ own }: { readonly own: string | undefined }) {
  const { data: sources = [] } = useQuery(sourcesQuery);
  const { data: collections } = useQuery(collectionsQuery);
  const sample = collections?.items.find(({ readable_id }) => readable_id === SAMPLE);
  const shown = SHOWN.flatMap(
    (name) => sources.find(({ short_name }) => short_name === name) ?? [],
  );
  return (
    <aside className="also" aria-label="More about Quarry">
      {shown.length > 0 && (
        <>
          <h2>Quarry can also read</h2>
          <ul>
            {shown.map(({ short_name, name }) => (
              <li key={short_name}>
                <SourceTile shortName={short_name} name={name} />
                {name}
              </li>
            ))}
          </ul>
          <p className="small">
            {own === undefined ? (
              <>And {sources.length - shown.length} more, or what you push.</>
            ) : (
              <Link
                to="/collections/$collection/connect"
                params={{ collection: own }}
                className="link"
              >
                All {sources.length} sources
              </Link>
            )}
          </p>
        </>
      )}
      {sample && (
        <>
          <h2>While you wait</h2>
          <p className="small soft">
            The collection{' '}
            <Link to="/search" search={{ c: SAMPLE }} className="link">
              <bdi>{sample.name}</bdi>
            </Link>{' '}
            is ready: {counted(sample.entities.total_entities, 'document')} about Quarry itself.
          </p>
        </>
      )}
    </aside>
  );
}

import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Schemas } from '../../api/client.ts';
import { firstConnectionQuery, meQuery } from '../../api/queries.ts';
import { isAtLeast } from '../../lib/role.ts';
import { isRunning } from '../../lib/states.ts';
import { useSourceNames } from '../../lib/use-source-names.ts';
import { Banner } from '../../ui/banner.tsx';
import { Also } from './also.tsx';
import { Ask } from './ask-step.tsx';
import { AssistantChoice } from './assistant-step.tsx';
import { NameForm } from './name-step.tsx';
import { Reading } from './reading-step.tsx';
import { SourceForm } from './source-step.tsx';
import { Step, type StepState } from './step.tsx';

/** While the first sync runs, what can be searched grows by the second. */
const WATCH_MS = 1500;

/** The first run. The address knows how far it is, so that it can be left and found again. */
export function Page() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = 'Welcome · Quarry';
    heading.current?.focus({ preventScroll: true });
  }, []);
  const { data: me } = useSuspenseQuery(meQuery);
  const { c } = useSearch({ from: '/bare/welcome' });
  return (
    <>
      <div className="intro">
        <h1 ref={heading} tabIndex={-1}>
          Search what you have, in about two minutes
        </h1>
        <p className="soft">
          The copies stay on the machine that runs Quarry. No key of a language model is needed.
        </p>
      </div>
      <div className="cols first-run">
        {isAtLeast(me.role, 'member') ? (
          <Steps me={me} />
        ) : (
          <Banner tone="info" title="Only members and admins connect sources">
            You can search what others have connected.
          </Banner>
        )}
        <Also own={c} />
      </div>
    </>
  );
}

function Steps({ me }: { readonly me: Schemas['Me'] }) {
  const { c, step } = useSearch({ from: '/bare/welcome' });
  const navigate = useNavigate({ from: '/welcome' });
  const first = useQuery({
    ...firstConnectionQuery(c ?? ''),
    enabled: c !== undefined,
    refetchInterval: WATCH_MS,
  });
  const connection = (c !== undefined && first.data) || undefined;
  const isNamed =
    me.role !== 'admin' || (step !== 'name' && (step !== undefined || c !== undefined));
  const lastEnd = connection?.sync.last_job?.status ?? '';
  const isReading = isRunning(lastEnd);
  const after = (isDone: boolean): StepState => (isDone ? 'now' : 'next');
  return (
    <ol className="steps">
      <Step
        number={1}
        title="Your name"
        state={isNamed ? 'done' : 'now'}
        summary={<bdi>{me.organization.name}</bdi>}
        change={
          me.role === 'admin' && (
            <Link
              from="/welcome"
              to="."
              search={(old) => ({ ...old, step: 'name' })}
              className="link small"
            >
              Change<span className="sr"> your name</span>
            </Link>
          )
        }
      >
        {!isNamed && (
          <NameForm
            me={me}
            onDone={() => void navigate({ search: (old) => ({ ...old, step: 'source' }) })}
          />
        )}
      </Step>
      <Step
        number={2}
        title={connection ? 'What Quarry reads first' : 'What should Quarry read first?'}
        state={connection ? 'done' : after(isNamed)}
        summary={connection && <ConnectionInWords connection={connection} />}
        change={
          connection && (
            <Link
              to="/collections/$collection/connections/$connection"
              params={{ collection: connection.readable_collection_id, connection: connection.id }}
              className="link small"
            >
              Open<span className="sr"> {connection.name}</span>
            </Link>
          )
        }
      >
        {!connection && <SourceForm />}
      </Step>
      <Step
        number={3}
        title={isReading ? 'Reading it' : 'Read'}
        state={lastEnd === 'COMPLETED' ? 'done' : after(!!connection)}
      >
        {connection && <Reading connection={connection} />}
      </Step>
      <Step number={4} title="Ask something" state={after(!!connection)}>
        {connection && (
          <Ask
            collection={connection.readable_collection_id}
            records={connection.entities.total_entities}
          />
        )}
      </Step>
      <Step number={5} title="Use it from your assistant" state={after(!!connection)}>
        {connection && <AssistantChoice collection={connection.readable_collection_id} />}
      </Step>
    </ol>
  );
}

function ConnectionInWords({
  connection: { short_name, config, name },
}: {
  readonly connection: Schemas['SourceConnection'];
}) {
  const nameOf = useSourceNames();
  if (short_name === 'files' && typeof config.path === 'string') return <code>{config.path}</code>;
  return (
    <>
      {nameOf(short_name)}: <bdi>{name}</bdi>
    </>
  );
}

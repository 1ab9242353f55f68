import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import type { Schemas } from '../../api/client.ts';
import { firstConnectionQuery, meQuery } from '../../api/queries.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import { isAtLeast } from '../../lib/role.ts';
import { isRunning } from '../../lib/states.ts';
import { Banner } from '../../ui/banner.tsx';
import { Skeletons } from '../../ui/part.tsx';
import { Also } from './also.tsx';
import { Ask } from './ask-step.tsx';
import { AssistantChoice } from './assistant-step.tsx';
import { NameForm } from './name-step.tsx';
import { Reading } from './reading-step.tsx';
import { SourceForm } from './source-step.tsx';
import { Step, type StepState } from './step.tsx';

/** While the first sync runs, what can be searched grows by the second. */
const WATCH_MS = 1500;

/** Returns true when nothing more comes by itself from the first sync. */
const isOver = ({ federated_search, status, sync }: Schemas['SourceConnection']): boolean =>
  federated_search ||
  (status !== 'PENDING_AUTH' &&
    status !== 'NEEDS_REAUTH' &&
    sync.last_job !== null &&
    !isRunning(sync.last_job.status));

/** The first run. The address knows how far it is, so that it can be left and found again. */
export function Page() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = 'Welcome · Quarry';
    // The form of the first step has the focus already.
    const isTyping = document.activeElement instanceof HTMLInputElement;
    if (!isTyping) heading.current?.focus({ preventScroll: true });
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
  const navigate = useNavigate({ from: '/welcome' });
  const { connection, isNamed, isLooking, now } = useFirstRun(me);
  const list = useRef<HTMLOListElement>(null);
  useStepFocus(list, now);
  const lastEnd = connection?.sync.last_job?.status ?? '';
  const isReading = isRunning(lastEnd);
  const after = (isDone: boolean): StepState => (isDone ? 'now' : 'next');
  return (
    <ol className="steps" ref={list}>
      <Step
        number={1}
        title="Name of your organization"
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
              Change<span className="sr"> the name of your organization</span>
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
        {!connection && (isLooking ? <Skeletons rows={3} /> : <SourceForm />)}
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
        {connection && <AssistantChoice />}
      </Step>
    </ol>
  );
}

/** Returns how far the first run is. */
function useFirstRun(me: Schemas['Me']) {
  const { c, step } = useSearch({ from: '/bare/welcome' });
  const first = useQuery({
    ...firstConnectionQuery(c ?? ''),
    enabled: c !== undefined,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : WATCH_MS),
  });
  const connection = (c !== undefined && first.data) || undefined;
  const isNamed =
    me.role !== 'admin' || (step !== 'name' && (step !== undefined || c !== undefined));
  const isLooking = c !== undefined && first.isPending;
  const now = isLooking ? null : connection ? 3 : isNamed ? 2 : 1;
  return { connection, isNamed, isLooking, now };
}

/** Moves the focus to the title of the step that is now to be done; `now` is null while nobody knows which. */
function useStepFocus(list: RefObject<HTMLOListElement | null>, now: number | null): void {
  const before = useRef<number>(null);
  useEffect(() => {
    if (now === null || now === before.current) return;
    // The first step has a field that takes the focus, and a page that was just opened keeps it.
    if (before.current !== null && now > 1)
      list.current?.querySelector<HTMLElement>('.now h2')?.focus();
    before.current = now;
  }, [list, now]);
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

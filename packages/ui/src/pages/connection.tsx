import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../api/client.ts';
import { connectionJobsQuery, connectionQuery, meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { count, counted } from '../lib/numbers.ts';
import { isAtLeast } from '../lib/role.ts';
import { changesOf, connectionState, isRunning, jobState } from '../lib/states.ts';
import { duration } from '../lib/time.ts';
import { useSourceNames } from '../lib/use-source-names.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { typeName } from '../lib/words.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { FormFault } from '../ui/form-fault.tsx';
import { Card, Empty, Page as Frame } from '../ui/page.tsx';
import { Part } from '../ui/part.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { State } from '../ui/state.tsx';
import { Ago } from '../ui/time.tsx';
import { LiveBox } from './collection/live-box.tsx';
import { COLLECTIONS, crumbOf, useCollectionName } from './collection/tabs.tsx';
import { HeldBack, JobDetails } from './connection/job-details.tsx';
import { Schedule } from './connection/schedule.tsx';

const FROM = '/shell/collections/$collection/connections/$connection';

/** One connection: how it is, what its syncs have done, and when the next one comes. */
export function Page() {
  const { collection, connection: id } = useParams({ from: FROM });
  const { data: connection } = useSuspenseQuery(connectionQuery(id));
  const { data: me } = useSuspenseQuery(meQuery);
  const jobs = useQuery(connectionJobsQuery(id));
  const collectionName = useCollectionName(collection);
  const sourceName = useSourceNames()(connection.short_name);
  const mayChange = isAtLeast(me.role, 'member');
  const { tone, word } = connectionState(connection);
  const running = jobs.data?.items.find(({ status }) => isRunning(status));
  return (
    <Frame
      title={connection.name}
      above={[COLLECTIONS, crumbOf(collection, collectionName)]}
      sub={
        <>
          <State tone={tone}>{word}</State>
          <span>{sourceName}</span>
          {connection.auth.account && <bdi>{connection.auth.account}</bdi>}
          {connection.true_as_of && (
            <span>
              true as of <Ago at={connection.true_as_of} />
            </span>
          )}
          <span>
            <strong>{count(connection.entities.total_entities)}</strong> records
          </span>
        </>
      }
      actions={
        mayChange && !connection.federated_search && <Run id={id} isRunning={Boolean(running)} />
      }
    >
      <Fault connection={connection} mayChange={mayChange} newest={jobs.data?.items[0]} />
      {running && (
        <LiveBox
          connectionId={id}
          jobId={running.id}
          startedAt={running.started_at}
          mayChange={mayChange}
        />
      )}
      <div className="cols aside">
        <Card title="Jobs" note={jobs.data && count(jobs.data.total)}>
          <Part query={jobs} what="The jobs">
            {({ items }) =>
              items.length === 0 ? (
                <Empty>No sync has run yet.</Empty>
              ) : (
                <JobTable jobs={items} connectionId={id} mayChange={mayChange} />
              )
            }
          </Part>
        </Card>
        <div className="stack">
          <Records connection={connection} />
          {!connection.federated_search && (
            <Schedule connection={connection} mayChange={mayChange} />
          )}
          {mayChange && <Delete connection={connection} collection={collection} />}
        </div>
      </div>
    </Frame>
  );
}

function Run({ id, isRunning }: { readonly id: string; readonly isRunning: boolean }) {
  const run = (full: boolean) => async () => {
    await bodyOf(
      client.POST('/v1/source-connections/{id}/run', {
        params: { path: { id }, query: full ? { force_full_sync: 'true' } : {} },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ['jobs'] });
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
  };
  const usual = useSubmit(run(false));
  const full = useSubmit(run(true));
  const busy = isRunning && 'Syncing …';
  return (
    <>
      <FormFault of={usual} title="The sync was not started" />
      <FormFault of={full} title="The sync was not started" />
      <Button busy={busy || (full.isBusy && 'Starting …')} onClick={() => full.submit()}>
        Full sync
      </Button>
      <Button
        look="primary"
        busy={busy || (usual.isBusy && 'Starting …')}
        onClick={() => usual.submit()}
      >
        <RefreshCw size={15} aria-hidden="true" /> Sync now
      </Button>
    </>
  );
}

/** Says what is wrong with the connection, with the way on. */
function Fault({
  connection,
  newest,
  mayChange,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly newest: Schemas['SourceConnectionJob'] | undefined;
  readonly mayChange: boolean;
}) {
  const { id, status, auth } = connection;
  const signIn = useSubmit(async () => {
    const again = await bodyOf(
      client.POST('/v1/source-connections/{id}/reinitiate-oauth', { params: { path: { id } } }),
    );
    if (again.auth.auth_url) window.location.assign(again.auth.auth_url);
  });
  if (status === 'PENDING_AUTH' || status === 'NEEDS_REAUTH')
    return (
      <>
        <Banner
          tone="warn"
          title={
            status === 'PENDING_AUTH'
              ? 'This connection waits for a sign-in'
              : 'The sign-in was refused'
          }
          actions={
            mayChange &&
            auth.method === 'oauth_browser' && (
              <Button
                look="primary"
                busy={signIn.isBusy && 'Opening …'}
                onClick={() => signIn.submit()}
              >
                Sign in
              </Button>
            )
          }
        >
          {auth.sign_in_error?.message ??
            newest?.error ??
            'Nothing is copied until somebody signs in.'}
        </Banner>
        <FormFault of={signIn} title="The sign-in was not begun" />
      </>
    );
  if (newest?.error_details?.code === 'deletions_need_confirmation')
    return <HeldBack job={newest} connectionId={id} mayChange={mayChange} />;
  if (status === 'ERROR' && newest?.error)
    return (
      <Banner tone="bad" title="The last sync failed">
        {newest.error} {newest.error_details?.hint}
      </Banner>
    );
  return null;
}

const Records = ({
  connection: { entities },
}: {
  readonly connection: Schemas['SourceConnection'];
}) => (
  <Card title="Records">
    <dl className="pairs pad">
      {Object.entries(entities.by_type).map(([type, { count: records }]) => (
        <div key={type} className="row pair">
          <dt className="grow">{typeName(type)}</dt>
          <dd>{count(records)}</dd>
        </div>
      ))}
      {entities.total_entities === 0 && <span className="muted">None yet.</span>}
    </dl>
  </Card>
);

function JobTable({
  jobs,
  connectionId,
  mayChange,
}: {
  readonly jobs: readonly Schemas['SourceConnectionJob'][];
  readonly connectionId: string;
  readonly mayChange: boolean;
}) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Scroller>
      <table>
        <thead>
          <tr>
            <th>Began</th>
            <th>Result</th>
            <th>Changes</th>
            <th className="num">Took</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => {
            const { tone, word } = jobState(job.status);
            const isOpen = open === job.id;
            return [
              <tr key={job.id}>
                <td>
                  <button
                    type="button"
                    className="link"
                    aria-expanded={isOpen}
                    onClick={() => setOpen(isOpen ? null : job.id)}
                  >
                    {job.started_at ? <Ago at={job.started_at} /> : 'waiting'}
                  </button>
                </td>
                <td>
                  <State tone={tone}>{word}</State>
                </td>
                <td className="soft">{changesOf(job)}</td>
                <td className="num nowrap">
                  {job.duration_seconds !== null && duration(job.duration_seconds * 1000)}
                </td>
              </tr>,
              isOpen && (
                <tr key={`${job.id} open`}>
                  <td colSpan={4}>
                    <JobDetails job={job} connectionId={connectionId} mayChange={mayChange} />
                  </td>
                </tr>
              ),
            ];
          })}
        </tbody>
      </table>
    </Scroller>
  );
}

function Delete({
  connection: { id, name, entities },
  collection,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly collection: string;
}) {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  return (
    <Card title="Delete">
      <div className="pad">
        <Button look="danger" onClick={() => setAsked(true)}>
          Delete this connection
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the connection"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await bodyOf(
              client.DELETE('/v1/source-connections/{id}', { params: { path: { id } } }),
            );
            await navigate({ to: '/collections/$collection', params: { collection } });
            await queryClient.invalidateQueries();
          }}
        >
          {counted(entities.total_entities, 'record')} go with it, and searches no longer find them.
          The source keeps what it has.
        </ConfirmDialog>
      )}
    </Card>
  );
}

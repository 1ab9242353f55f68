import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import { count, counted } from 'quarry-text/numbers';
import { duration } from 'quarry-text/time';
import { client, listOf, type Schemas } from '../../api/client.ts';
import { jobQuery } from '../../api/queries.ts';
import { type Progress, useProgress } from '../../api/use-progress.ts';
import { fatesOf, progressOf } from '../../lib/progress.ts';
import { sentenceOf } from '../../lib/refusal.ts';
import { hasFoundNothing, isRunning, nothingFoundAt, whyFailed } from '../../lib/states.ts';
import { Fault } from '../../parts/connection/fault.tsx';
import { Banner } from '../../ui/banner.tsx';
import { State } from '../../ui/state.tsx';
import { FateCounts, TypeBars } from '../../ui/type-bars.tsx';

type Connection = Schemas['SourceConnection'];

/** Shows the first sync: how much can be searched already, and at the end what was left out. */
export function Reading({ connection }: { readonly connection: Connection }) {
  const job = connection.sync.last_job;
  if (connection.federated_search)
    return <p className="soft">Nothing is copied: each search asks the source itself.</p>;
  if (!job || connection.status === 'PENDING_AUTH' || connection.status === 'NEEDS_REAUTH')
    return <Fault connection={connection} mayChange />;
  if (isRunning(job.status)) return <Running connection={connection} jobId={job.id} />;
  return <Ended connection={connection} job={job} />;
}

function Running({
  connection: { id },
  jobId,
}: {
  readonly connection: Connection;
  readonly jobId: string;
}) {
  const job = useProgress(id, jobId);
  if (!job) return <p className="soft">It begins in a moment.</p>;
  return (
    <>
      <p className="big-count">
        <strong>{count(storedBy(job))}</strong> records can be searched already
        {job.rate >= 1 && <State tone="live">{count(job.rate)} records/s</State>}
      </p>
      {job.waits_for && <p className="soft">It waits: {job.waits_for.reason}.</p>}
      <TypeBars types={progressOf(job, null)} isRunning />
    </>
  );
}

const storedBy = (job: Progress): number =>
  job.entities_inserted + job.entities_updated + job.entities_kept;

function Ended({
  connection,
  job,
}: {
  readonly connection: Connection;
  readonly job: NonNullable<Connection['sync']['last_job']>;
}) {
  const { data: details } = useQuery(jobQuery(job.id));
  if (job.error)
    return (
      <Banner
        tone="bad"
        title="The first sync did not end well"
        actions={<Details {...{ connection, jobId: job.id }} />}
      >
        {whyFailed(job)}
      </Banner>
    );
  return (
    <>
      <p className="big-count">
        <strong>{count(connection.entities.total_entities)}</strong>{' '}
        {connection.entities.total_entities === 1 ? 'record' : 'records'} can be searched
        {job.duration_seconds !== null && (
          <span className="muted">read in {duration(job.duration_seconds * 1000)}</span>
        )}
      </p>
      {hasFoundNothing(connection) && (
        <p className="soft">{nothingFoundAt(connection.short_name)}</p>
      )}
      {details && <TypeBars types={progressOf(details, null)} isRunning={false} />}
      {details && (
        <p className="live-foot">
          <FateCounts counts={fatesOf(details)} deleted={details.entities_deleted} />
        </p>
      )}
      {details && <LeftOut connection={connection} details={details} />}
    </>
  );
}

const Details = ({
  connection: { id, readable_collection_id },
  jobId,
}: {
  readonly connection: Connection;
  readonly jobId: string;
}) => (
  <Link
    to="/collections/$collection/connections/$connection"
    params={{ collection: readable_collection_id, connection: id }}
    search={{ job: jobId }}
    className="link"
  >
    See what and why
  </Link>
);

/** Says what was not taken in, with the first reason in words. */
function LeftOut({
  connection,
  details: { id, entities_failed, entities_skipped },
}: {
  readonly connection: Connection;
  readonly details: Schemas['SyncJobDetail'];
}) {
  const failed = useQuery({
    queryKey: ['jobs', id, 'first failure'],
    enabled: entities_failed > 0,
    queryFn: ({ signal }) =>
      listOf(
        client.GET('/v1/source-connections/{id}/jobs/{job_id}/failures', {
          params: { path: { id: connection.id, job_id: id }, query: { limit: 1 } },
          signal,
        }),
      ),
  });
  if (entities_failed + entities_skipped === 0) return null;
  const first = failed.data?.items[0];
  return (
    <p className="small soft left-out">
      <Info size={15} aria-hidden="true" />
      <span>
        {entities_failed > 0 && `${counted(entities_failed, 'record')} failed. `}
        {first && (
          <>
            <strong>
              <bdi>{first.entity_id}</bdi>
            </strong>
            : {sentenceOf(first.message)} {first.hint}{' '}
          </>
        )}
        {entities_skipped > 0 &&
          `${counted(entities_skipped, 'record was', 'records were')} left out on purpose. `}
        <Details connection={connection} jobId={id} />
      </span>
    </p>
  );
}

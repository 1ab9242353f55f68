import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bytes, count, counted } from 'quarry-text/numbers';
import { duration } from 'quarry-text/time';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { jobQuery } from '../../api/queries.ts';
import { type Progress, useProgress } from '../../api/use-progress.ts';
import { fatesOf, progressOf } from '../../lib/progress.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Moment, useNow } from '../../ui/time.tsx';
import { FateCounts, TypeBars } from '../../ui/type-bars.tsx';

interface LiveBoxProps {
  readonly connection: Schemas['SourceConnection'];
  readonly job: {
    readonly id: string;
    /** It is null while the job waits for a worker. */
    readonly started_at: string | null;
  };
  readonly mayChange: boolean;
}

/** Shows the progress of a sync while it runs: what it has met, by type, and what it did with it. */
export function LiveBox({ connection, job, mayChange }: LiveBoxProps) {
  const progress = useProgress(connection.id, job.id);
  const { data: details } = useQuery(jobQuery(job.id));
  const cancel = useSubmit(async () => {
    await bodyOf(
      client.POST('/v1/source-connections/{id}/jobs/{job_id}/cancel', {
        params: { path: { id: connection.id, job_id: job.id } },
      }),
    );
  });
  const isFull = details?.sync_metadata.full ?? false;
  // An incremental sync asks for what has changed, so the number of last time says nothing about it.
  const before = isFull ? (connection.sync.last_full_job?.entities_encountered ?? null) : null;
  return (
    <div className="live-box">
      <div className="live-head">
        <strong>
          <Title progress={progress} details={details} startedAt={job.started_at} />
        </strong>
        {progress && <Amounts job={progress} />}
        {mayChange && (
          <span className="end">
            <Button
              size="sm"
              busy={(cancel.isBusy || progress?.status === 'CANCELLING') && 'Stopping …'}
              onClick={() => cancel.submit()}
            >
              Cancel
            </Button>
          </span>
        )}
      </div>
      <FormFault of={cancel} title="The sync was not stopped" />
      {progress && (
        <>
          <TypeBars types={progressOf(progress, before)} isRunning />
          <Counters connection={connection} jobId={job.id} progress={progress} />
        </>
      )}
    </div>
  );
}

function Title({
  progress,
  details,
  startedAt,
}: {
  readonly progress: Progress | null;
  readonly details: Schemas['SyncJobDetail'] | undefined;
  readonly startedAt: string | null;
}) {
  const start = Date.parse(startedAt ?? '');
  const now = useNow(Number.isNaN(start) ? 0 : start);
  if (progress?.waits_for)
    return (
      <>
        Waiting: {progress.waits_for.reason}
        {progress.waits_for.until && (
          <>
            {' '}
            until <Moment at={progress.waits_for.until} />
          </>
        )}
        . It goes on by itself
      </>
    );
  if (Number.isNaN(start)) return 'Waiting for a free worker';
  const kind = details && (details.sync_metadata.full ? 'Full sync' : 'Sync of changes');
  const isOfWatch = details?.sync_metadata.trigger === 'watch';
  const by = details?.scheduled ? ', by schedule' : isOfWatch ? ', after a change' : '';
  return `${kind ?? 'Sync'} for ${duration(Math.max(0, now - start))}${by}`;
}

const Amounts = ({ job }: { readonly job: Progress }) => (
  <>
    {job.rate >= 1 && <span className="muted">{count(job.rate)} records/s</span>}
    {job.bytes_fetched > 0 && <span className="muted">{bytes(job.bytes_fetched)} read</span>}
    {job.requests > 0 && <span className="muted">{counted(job.requests, 'request')}</span>}
  </>
);

function Counters({
  connection: { id, readable_collection_id },
  jobId,
  progress,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly jobId: string;
  readonly progress: Progress;
}) {
  const { entities_failed: failed } = progress;
  return (
    <div className="live-foot">
      <FateCounts counts={fatesOf(progress)} deleted={progress.entities_deleted} />
      {failed > 0 && (
        <Link
          to="/collections/$collection/connections/$connection"
          params={{ collection: readable_collection_id, connection: id }}
          search={{ job: jobId }}
          className="link end"
        >
          See the {counted(failed, 'failure')}
        </Link>
      )}
    </div>
  );
}

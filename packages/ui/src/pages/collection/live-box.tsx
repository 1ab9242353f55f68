import { bodyOf, client } from '../../api/client.ts';
import { bytes, count, counted } from '../../lib/numbers.ts';
import { duration } from '../../lib/time.ts';
import { type Progress, useProgress } from '../../lib/use-progress.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { typeName } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Moment, useNow } from '../../ui/time.tsx';

/** Shows the progress of a sync while it runs: what it has met, by type, and what it did with it. */
export function LiveBox({
  connectionId,
  jobId,
  startedAt,
  mayChange,
}: {
  readonly connectionId: string;
  readonly jobId: string;
  /** It is null while the job waits for a worker. */
  readonly startedAt: string | null;
  readonly mayChange: boolean;
}) {
  const job = useProgress(connectionId, jobId);
  const cancel = useSubmit(async () => {
    await bodyOf(
      client.POST('/v1/source-connections/{id}/jobs/{job_id}/cancel', {
        params: { path: { id: connectionId, job_id: jobId } },
      }),
    );
  });
  return (
    <div className="live-box">
      <div className="live-head">
        <strong>
          <Title job={job} startedAt={startedAt} />
        </strong>
        {job && <Amounts job={job} />}
        {mayChange && (
          <span className="end">
            <Button
              size="sm"
              busy={(cancel.isBusy || job?.status === 'CANCELLING') && 'Stopping …'}
              onClick={() => cancel.submit()}
            >
              Cancel
            </Button>
          </span>
        )}
      </div>
      <FormFault of={cancel} title="The sync was not stopped" />
      {job && <Types job={job} />}
      {job && <Counters job={job} />}
    </div>
  );
}

function Title({
  job,
  startedAt,
}: {
  readonly job: Progress | null;
  readonly startedAt: string | null;
}) {
  const start = Date.parse(startedAt ?? '');
  const now = useNow(Number.isNaN(start) ? 0 : start);
  if (job?.waits_for)
    return (
      <>
        Waiting: {job.waits_for.reason}
        {job.waits_for.until && (
          <>
            {' '}
            until <Moment at={job.waits_for.until} />
          </>
        )}
      </>
    );
  if (Number.isNaN(start)) return 'Waiting for a free worker';
  return `Syncing for ${duration(Math.max(0, now - start))}`;
}

const Amounts = ({ job }: { readonly job: Progress }) => (
  <>
    {job.rate >= 1 && <span className="muted">{count(job.rate)} records/s</span>}
    {job.bytes_fetched > 0 && <span className="muted">{bytes(job.bytes_fetched)} read</span>}
    {job.requests > 0 && <span className="muted">{counted(job.requests, 'request')}</span>}
  </>
);

/** Without a total, the bars compare the types with each other. */
function Types({ job }: { readonly job: Progress }) {
  const types = Object.entries(job.entities_encountered);
  const most = Math.max(1, ...types.map(([, met]) => met));
  return (
    <ul className="live-types">
      {types.map(([type, met]) => (
        <li key={type}>
          <span className="cut">{typeName(type)}</span>
          <strong>{count(met)}</strong>
          <span className="bar" aria-hidden="true">
            <i className="fill-new" style={{ width: `${(met / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Counters({ job }: { readonly job: Progress }) {
  const counters = [
    ['new', job.entities_inserted],
    ['changed', job.entities_updated],
    ['unchanged', job.entities_kept],
    ['skipped', job.entities_skipped],
    ['failed', job.entities_failed],
  ] as const;
  return (
    <div className="live-foot">
      {counters
        .filter(([, value]) => value > 0)
        .map(([word, value]) => (
          <span key={word} className={`key fill-${word}`}>
            <b>{count(value)}</b> {word}
          </span>
        ))}
      {job.entities_deleted > 0 && (
        <span className="muted">
          <b>{count(job.entities_deleted)}</b> deleted
        </span>
      )}
    </div>
  );
}

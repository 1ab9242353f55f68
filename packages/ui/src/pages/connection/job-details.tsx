import { useQuery } from '@tanstack/react-query';
import { bodyOf, client, listOf, type Schemas } from '../../api/client.ts';
import { bytes, count, counted } from '../../lib/numbers.ts';
import { Banner } from '../../ui/banner.tsx';
import { Part } from '../../ui/part.tsx';
import { HeldBack, type JobProps } from './held-back.tsx';

type Job = Schemas['SourceConnectionJob'];
const SHOWN = 50;

/** Shows what one job met, failed and left out. */
export function JobDetails({ job, connectionId, mayChange }: JobProps) {
  return (
    <div className="stack job-details">
      {job.error_details?.code === 'deletions_need_confirmation' ? (
        <HeldBack {...{ job, connectionId, mayChange }} />
      ) : (
        job.error && (
          <Banner tone="bad" title="This sync failed">
            {job.error} {job.error_details?.hint}
          </Banner>
        )
      )}
      {job.warnings.map((warning) => (
        <Banner key={warning.code} tone="warn" title={warning.message}>
          {warning.hint}
        </Banner>
      ))}
      <Figures job={job} />
      {job.entities_failed > 0 && <Failures job={job} connectionId={connectionId} />}
    </div>
  );
}

function Figures({ job }: { readonly job: Job }) {
  const details = useQuery({
    queryKey: ['jobs', job.id, job.status],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/sync/jobs/{job_id}', { params: { path: { job_id: job.id } }, signal }),
      ),
  });
  return (
    <Part query={details} what="The figures of the job" rows={1}>
      {({ entities_kept, skipped_by_reason, sync_metadata: told }) => {
        const reasons = Object.entries(skipped_by_reason);
        return (
          <div className="soft">
            <p>
              {told.full ? 'Full sync' : 'Incremental sync'} · {counted(entities_kept, 'record')}{' '}
              unchanged · {counted(told.chunks_written, 'passage')} written ·{' '}
              {bytes(told.bytes_fetched)} read · {counted(told.requests, 'request')}
            </p>
            {reasons.length > 0 && (
              <p>
                Left out on purpose:{' '}
                {reasons.map(([reason, records]) => `${count(records)} ${reason}`).join('; ')}
              </p>
            )}
          </div>
        );
      }}
    </Part>
  );
}

function Failures({ job, connectionId }: Pick<JobProps, 'job' | 'connectionId'>) {
  const failures = useQuery({
    queryKey: ['jobs', job.id, 'failures'],
    queryFn: ({ signal }) =>
      listOf(
        client.GET('/v1/source-connections/{id}/jobs/{job_id}/failures', {
          params: { path: { id: connectionId, job_id: job.id }, query: { limit: SHOWN } },
          signal,
        }),
      ),
  });
  return (
    <Part query={failures} what="The failures">
      {({ items }) => (
        <div>
          <h3>
            {counted(job.entities_failed, 'failure')}
            {job.entities_failed > items.length && `, the first ${count(items.length)}`}
          </h3>
          <ul className="tight">
            {items.map((one) => (
              <li key={`${one.entity_id} ${one.stage}`}>
                <code>{one.entity_id}</code> <span className="soft">{one.message}</span>{' '}
                {one.hint && <span className="muted">{one.hint}</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Part>
  );
}

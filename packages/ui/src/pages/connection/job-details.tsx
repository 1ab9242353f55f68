import { useQuery } from '@tanstack/react-query';
import { bytes, count, counted } from 'quarry-text/numbers';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { jobQuery } from '../../api/queries.ts';
import { fatesOf, progressOf } from '../../lib/progress.ts';
import { sentenceOf } from '../../lib/refusal.ts';
import { isRunning } from '../../lib/states.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Part } from '../../ui/part.tsx';
import { FateCounts, TypeBars } from '../../ui/type-bars.tsx';
import { Failures, Skipped } from './left-out.tsx';

type Job = Schemas['SourceConnectionJob'];

/** Shows what one job met, failed and left out. */
export function JobDetails({
  job,
  connectionId,
}: {
  readonly job: Job;
  readonly connectionId: string;
}) {
  const isHeldBack = job.error_details?.code === 'deletions_need_confirmation';
  return (
    <div className="stack job-details">
      {job.error_details && (
        <Banner
          tone={isHeldBack ? 'warn' : 'bad'}
          title={isHeldBack ? 'Deletions were held back' : 'This sync failed'}
        >
          {isHeldBack
            ? `${counted(job.deletions_held_back, 'record was', 'records were')} no longer at the source. So many at once may be a mistake, so Quarry kept them.`
            : [job.error_details.message, job.error_details.hint ?? '']
                .filter(Boolean)
                .map(sentenceOf)
                .join(' ')}
        </Banner>
      )}
      {job.warnings.map((warning) => (
        <Banner key={warning.code} tone="warn" title={warning.message}>
          {warning.hint}
        </Banner>
      ))}
      {!isRunning(job.status) && <Figures job={job} connectionId={connectionId} />}
    </div>
  );
}

function Figures({ job, connectionId }: { readonly job: Job; readonly connectionId: string }) {
  const details = useQuery(jobQuery(job.id));
  const [showsSkipped, setShowsSkipped] = useState(false);
  return (
    <Part query={details} what="The figures of the job" rows={1}>
      {(figures) => {
        const { entities_failed: failed, entities_skipped: skipped } = figures;
        const lists = { connectionId, jobId: job.id };
        return (
          <div className="tight">
            <p className="soft">{inWords(figures)}</p>
            <TypeBars types={progressOf(figures, null)} isRunning={false} />
            <p className="live-foot">
              <FateCounts counts={fatesOf(figures)} deleted={figures.entities_deleted} />
            </p>
            {failed > 0 && <Failures {...lists} counted={failed} />}
            {skipped > 0 && (
              <>
                <p className="soft">{reasonsOf(figures)}</p>
                {showsSkipped ? (
                  <Skipped {...lists} counted={skipped} />
                ) : (
                  <Button size="sm" onClick={() => setShowsSkipped(true)}>
                    See the {count(skipped)}
                  </Button>
                )}
              </>
            )}
          </div>
        );
      }}
    </Part>
  );
}

const inWords = ({ sync_metadata: told }: Schemas['SyncJobDetail']): string =>
  [
    told.full ? 'Full sync' : 'Sync of changes',
    `${counted(told.chunks_written, 'passage')} written`,
    `${bytes(told.bytes_fetched)} read`,
    counted(told.requests, 'request'),
    ...(told.attempt > 1 ? [`attempt ${told.attempt}`] : []),
  ].join(' · ');

const reasonsOf = ({ skipped_by_reason }: Schemas['SyncJobDetail']): string =>
  `Left out on purpose: ${Object.entries(skipped_by_reason)
    .map(([reason, records]) => `${count(records)} ${reason}`)
    .join('; ')}.`;

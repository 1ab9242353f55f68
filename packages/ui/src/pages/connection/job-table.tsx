import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { changesOf, jobState } from '../../lib/states.ts';
import { duration } from '../../lib/time.ts';
import { Scroller } from '../../ui/scroller.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';
import { JobDetails } from './job-details.tsx';

const CONNECTION = '/shell/collections/$collection/connections/$connection';

/** The open job is in the address, so that a link can lead to it. */
export function JobTable({
  jobs,
  connectionId,
  mayChange,
}: {
  readonly jobs: readonly Schemas['SourceConnectionJob'][];
  readonly connectionId: string;
  readonly mayChange: boolean;
}) {
  const { job: open } = useSearch({ from: CONNECTION });
  const navigate = useNavigate({ from: '/collections/$collection/connections/$connection' });
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
                    onClick={() =>
                      void navigate({
                        search: isOpen ? {} : { job: job.id },
                        replace: true,
                        resetScroll: false,
                      })
                    }
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

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { count, counted } from 'quarry-text/numbers';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { serverNow } from '../../lib/clock.ts';
import { lineInWords, lineOf } from '../../lib/counts.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import { Segments } from '../../ui/field.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Scroller } from '../../ui/scroller.tsx';
import { Moment } from '../../ui/time.tsx';
import { StepChart } from './step-chart.tsx';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SPANS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
];
/** Failed jobs are looked for among so many. */
const JOBS = 500;

/** Shows how the number of records has changed, and when jobs failed. */
export function CountsCard({ connectionId: id }: { readonly connectionId: string }) {
  const search = useSearch({ from: '/shell/collections/$collection/connections/$connection' });
  const navigate = useNavigate({ from: '/collections/$collection/connections/$connection' });
  const days = SPANS.find(({ value }) => value === search.days)?.value ?? '30';
  const counts = useQuery({
    queryKey: ['connections', 'one', id, 'counts'],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/source-connections/{id}/entity-counts', {
          params: { path: { id } },
          signal,
        }),
      ),
    refetchInterval: 60_000,
  });
  const failures = useQuery({
    queryKey: ['jobs', 'of', id, 'failed'],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: JOBS } };
      const jobs = await bodyOf(client.GET('/v1/source-connections/{id}/jobs', { params, signal }));
      return jobs.flatMap((job) =>
        job.status === 'FAILED' && job.completed_at ? Date.parse(job.completed_at) : [],
      );
    },
    refetchInterval: 60_000,
  });
  return (
    <Card
      title="Records over time"
      actions={
        <Segments
          label="How far back"
          value={days}
          onValue={(value) =>
            void navigate({
              search: (old) => ({ ...old, days: value }),
              ...IN_PLACE,
            })
          }
          choices={SPANS}
        />
      }
    >
      <Part query={counts} what="The counts">
        {({ points }) =>
          points.length === 0 ? (
            <Empty>The line begins with the first sync that stores something.</Empty>
          ) : (
            <Counts points={points} days={Number(days)} failures={failures.data ?? []} />
          )
        }
      </Part>
    </Card>
  );
}

type CountPoint = Schemas['EntityCountsOverTime']['points'][number];

function Counts({
  points,
  days,
  failures,
}: {
  readonly points: readonly CountPoint[];
  readonly days: number;
  readonly failures: readonly number[];
}) {
  // The line stays the same within a minute, so that it is not drawn again and again.
  const now = Math.ceil(serverNow() / MINUTE_MS) * MINUTE_MS;
  const from = now - days * DAY_MS;
  const line = lineOf(points, { from, now });
  const failed = failures.filter((at) => at >= (line.times[0] ?? now));
  return (
    <div className="pad">
      <StepChart line={line} marks={failed} label={lineInWords(line, failed.length)} />
      <div className="row wrap tiny muted">
        {failed.length > 0 && (
          <span className="key fill-failed">{counted(failed.length, 'job')} failed</span>
        )}
        <span>Drag to zoom, double click to see all.</span>
      </div>
      <details className="folded">
        <summary>Show as table</summary>
        <Scroller>
          <table>
            <thead>
              <tr>
                <th>From</th>
                <th className="num">Records</th>
              </tr>
            </thead>
            <tbody>
              {points
                .filter(({ at }) => Date.parse(at) >= from)
                .toReversed()
                .map(({ at, total_entities }) => (
                  <tr key={at}>
                    <td>
                      <Moment at={at} />
                    </td>
                    <td className="num">{count(total_entities)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </Scroller>
      </details>
    </div>
  );
}

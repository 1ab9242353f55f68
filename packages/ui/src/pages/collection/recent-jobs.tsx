import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bodyOf, client } from '../../api/client.ts';
import { OFTEN_MS } from '../../api/queries.ts';
import { JOB_COLUMNS, jobCells } from '../../parts/job-rows.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Scroller } from '../../ui/scroller.tsx';

const SHOWN = 8;

/** Shows the newest jobs of a collection. */
export function RecentJobs({ collection }: { readonly collection: string }) {
  const jobs = useQuery({
    queryKey: ['jobs', 'in', collection],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/sync/jobs', { params: { query: { collection, limit: SHOWN } }, signal }),
      ),
    refetchInterval: OFTEN_MS,
  });
  return (
    <Card
      title="Newest jobs"
      actions={
        <Link to="/jobs" search={{ c: collection }} className="link small">
          All jobs<span className="sr"> of this collection</span>
        </Link>
      }
    >
      <Part query={jobs} what="The jobs">
        {(items) =>
          items.length === 0 ? (
            <Empty>No sync has run yet.</Empty>
          ) : (
            <Scroller>
              <table className="stacked">
                <thead>
                  <tr>
                    {JOB_COLUMNS.map(({ title, isNumber }) => (
                      <th key={title} className={isNumber ? 'num' : undefined}>
                        {title}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {items.map((job) => (
                    <tr key={job.id}>
                      {jobCells(job).map((cell, i) => (
                        <td
                          key={JOB_COLUMNS[i]?.title}
                          className={JOB_COLUMNS[i]?.isNumber ? 'num' : undefined}
                          data-label={JOB_COLUMNS[i]?.title}
                        >
                          {cell}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroller>
          )
        }
      </Part>
    </Card>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { jobQuery } from '../../api/queries.ts';
import { Card } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';

/** Says where a record comes from, which sync wrote it, and as of when it is true. */
export function Origin({
  record,
  collection,
}: {
  readonly record: Schemas['ContentDocument'];
  readonly collection: string;
}) {
  const { sync_job_id, source_connection_id, source_connection_name } = record;
  const job = useQuery(jobQuery(sync_job_id));
  return (
    <Card title="Where it comes from">
      <dl className="pairs pad">
        <dt>Connection</dt>
        <dd>
          <Link
            className="link"
            to="/collections/$collection/connections/$connection"
            params={{ collection, connection: source_connection_id }}
          >
            <bdi>{source_connection_name}</bdi>
          </Link>
        </dd>
        <dt>True as of</dt>
        <dd>{record.true_as_of ? <Ago at={record.true_as_of} /> : 'no sync has ended yet'}</dd>
        <dt>Copied by</dt>
        <dd>
          {job.data ? (
            <>
              a sync
              {job.data.started_at && (
                <>
                  {' '}
                  that began <Ago at={job.data.started_at} />
                </>
              )}
            </>
          ) : job.error ? (
            'a sync that is no longer kept'
          ) : (
            '…'
          )}
        </dd>
        <dt>Changed here</dt>
        <dd>
          <Ago at={record.last_written_at} />
        </dd>
        <dt>First seen</dt>
        <dd>
          <Ago at={record.first_written_at} />
        </dd>
      </dl>
    </Card>
  );
}

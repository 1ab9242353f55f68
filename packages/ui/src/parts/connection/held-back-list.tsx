import { Link } from '@tanstack/react-router';
import { count } from 'quarry-text/numbers';
import { client, listOf, type Schemas } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { typeName } from '../../lib/words.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';

/** Shows the records that would be deleted. */
export function HeldBackList({
  connection: { id, readable_collection_id },
  jobId,
  total,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly jobId: string;
  readonly total: number;
}) {
  const records = usePages(['jobs', jobId, 'held back'], (query, signal) =>
    listOf(
      client.GET('/v1/source-connections/{id}/jobs/{job_id}/held-back', {
        params: { path: { id, job_id: jobId }, query },
        signal,
      }),
    ),
  );
  return (
    <Card
      title="Records that would be deleted"
      note={
        records.total !== null && records.total < total
          ? `the first ${count(records.total)} of ${count(total)}`
          : count(total)
      }
    >
      <PagedTable
        pages={records}
        what="The records"
        empty={<Empty>None of them waits any more: they were found again, or deleted.</Empty>}
        columns={[{ title: 'Name' }, { title: 'Type' }, { title: 'Where' }]}
        cells={(one) => [
          <Link
            key="name"
            to="/collections/$collection/record"
            params={{ collection: readable_collection_id }}
            search={{ id: `${id}:${one.entity_id}` }}
            className="link"
          >
            <bdi>{one.name}</bdi>
          </Link>,
          typeName(one.entity_type),
          <bdi key="where" className="muted">
            {one.breadcrumbs.join(' › ')}
          </bdi>,
        ]}
        keyOf={(one) => one.id}
      />
    </Card>
  );
}

import { count } from 'quarry-text/numbers';
import type { Schemas } from '../../api/client.ts';
import { typeName } from '../../lib/words.ts';
import { Card } from '../../ui/page.tsx';

/** Shows how many records of each type the connection has brought. */
export const RecordCounts = ({
  connection: { entities },
}: {
  readonly connection: Schemas['SourceConnection'];
}) => (
  <Card title="Records">
    <dl className="pairs pad">
      {Object.entries(entities.by_type).map(([type, { count: records }]) => (
        <div key={type} className="row pair">
          <dt className="grow">{typeName(type)}</dt>
          <dd>{count(records)}</dd>
        </div>
      ))}
      {entities.total_entities === 0 && <span className="muted">None yet.</span>}
    </dl>
  </Card>
);

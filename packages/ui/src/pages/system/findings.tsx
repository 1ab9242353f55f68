import { Link } from '@tanstack/react-router';
import { count, counted } from 'quarry-text/numbers';
import type { Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { findingOf } from '../../lib/findings.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { order, refreshSystem } from './check.ts';

type Collection = Schemas['Collection'];
export type LiveRun = Schemas['SystemState']['jobs']['maintenance'][number];

/** Shows how far a run has come. */
export function Run({ run, name }: { readonly run: LiveRun; readonly name: string }) {
  const { entities_done, entities_total, kind, status } = run;
  const percent =
    entities_total === 0 ? 0 : Math.min(100, Math.round((100 * entities_done) / entities_total));
  const work = kind === 'reindex' ? 'is being indexed again' : 'is being repaired or compared';
  return (
    <li>
      <div className="grow">
        <h3>
          <bdi>{name}</bdi> {status === 'PENDING' ? 'waits for its turn' : work}
        </h3>
        <div
          className="bar"
          role="progressbar"
          aria-valuenow={percent}
          aria-label={`Progress of ${name}`}
        >
          <i className="fill-new" style={{ width: `${percent}%` }} />
        </div>
        <p className="soft small">
          {count(entities_done)} of {counted(entities_total, 'record')}. Searches, pushes and syncs
          go on meanwhile.
        </p>
      </div>
    </li>
  );
}

/** Says what is wrong with a collection, and what to do. */
export function Findings({
  collection: { name, readable_id },
  report,
}: {
  readonly collection: Collection;
  readonly report: Schemas['DoctorReport'] | undefined;
}) {
  const repair = useSubmit(async () => {
    await order(readable_id, true);
    await refreshSystem();
    queryClient.removeQueries({ queryKey: ['doctor', readable_id] });
  });
  if (!report) return null;
  const first = report.problems.find(({ repairable }) => repairable);
  return report.problems.map((problem) => {
    const { title, meaning } = findingOf(problem);
    return (
      <li key={problem.kind}>
        <div className="grow">
          <h3>{title}</h3>
          <p className="soft small">
            In{' '}
            <Link
              className="link"
              to="/collections/$collection"
              params={{ collection: readable_id }}
            >
              <bdi>{name}</bdi>
            </Link>
            . {meaning}
          </p>
          <details>
            <summary className="small muted">
              {problem.examples.length < problem.count ? 'Some of them' : 'Which ones'}
            </summary>
            <ul className="examples">
              {problem.examples.map((example) => (
                <li key={example}>
                  <code>{example}</code>
                </li>
              ))}
            </ul>
          </details>
          {problem === first && <FormFault of={repair} title="The repair has not begun" />}
        </div>
        {problem === first && (
          <Button
            look="primary"
            busy={repair.isBusy && 'Repairing …'}
            onClick={() => repair.submit()}
          >
            Repair
          </Button>
        )}
        {!problem.repairable && (
          <Link className="btn" to="/collections/$collection" params={{ collection: readable_id }}>
            Open the connections
          </Link>
        )}
      </li>
    );
  });
}

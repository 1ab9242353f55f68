/** What must be true in the moment in which a job ends. */
import type { Item } from '../../../sources/define.ts';
import { type Attempt, cameUp, lastWord, maySweep, words } from './attempt.ts';
import { configOf, countUp, type JobView } from './job-view.ts';
import type { EntityRow } from './observe.ts';
import { hold, same } from './violation.ts';

const SMALL_DROP = 50;
const SUSPICIOUS_SHARE = 0.3;

/** The most that may go at once without a confirmation. */
export const mostToSweep = ({ known }: JobView): number =>
  Math.max(SMALL_DROP, known * SUSPICIOUS_SHARE);

export function checkEnded(view: JobView, rows: ReadonlyMap<string, EntityRow>): void {
  const { row, attempt } = view;
  if (row.status === 'COMPLETED') checkCompleted(view, rows);
  if (row.status !== 'FAILED') return;
  const code = JSON.parse(row.error_details ?? '{}').code;
  hold(row.trigger !== 'push', 'no push fails', () => `${row.id}: ${row.error_details}`);
  same(code, attempt?.threw, 'a job fails with what its source threw', row.id);
}

function checkCompleted(view: JobView, rows: ReadonlyMap<string, EntityRow>): void {
  const { row, attempt } = view;
  hold(attempt?.ended, 'a job is completed when its source has ended', () => row.id);
  const { recipe } = configOf(row);
  const said = new Set(attempt.batches.flatMap((batch) => [...batch.said.keys()]));
  for (const id of said) {
    const last = words(attempt, id).findLast(({ kind }) => kind !== 'skip' && kind !== 'fail');
    const stored = rows.get(id);
    if (last?.kind === 'remove')
      hold(!stored, 'no ghost: what the source removed is gone', () => id);
    if (last?.kind !== 'upsert' && last?.kind !== 'stub') continue;
    countUp(view, attempt, id);
    hold(stored, 'no row is lost: what came up is stored', () => `${id} of job ${row.id}`);
    same(stored.version, last.version, 'the row is what the source said last', id);
    same(stored.partition, last.partition, 'the row is what the source said last', id);
    if (last.kind === 'upsert')
      same(
        stored.metadata,
        JSON.stringify(last.entity.fields),
        'the row is what the source said last',
        id,
      );
    same(stored.recipe, recipe, 'the recipe is that of the configuration', id);
  }
  const isTrue = row.entities_kept >= view.kept && row.entities_kept <= view.kept + view.vague.size;
  hold(isTrue, 'counters are true', () => `kept of ${row.id}: ${row.entities_kept}, ${view.kept}`);
  checkLeftOut(view, attempt);
  if (row.full) checkSweep(view, attempt, rows);
}

function checkLeftOut({ row }: JobView, { batches }: Attempt): void {
  const lastWords = batches.flatMap((batch) =>
    [...batch.said.keys()].map((id) => lastWord(batch, id)?.kind),
  );
  const count = (kind: Item['kind']) => lastWords.filter((one) => one === kind).length;
  const lost = batches.reduce((sum, batch) => sum + batch.lost.length, 0);
  same(row.entities_skipped, count('skip'), 'counters are true', `skipped of job ${row.id}`);
  same(row.entities_failed, count('fail') + lost, 'counters are true', `failed of job ${row.id}`);
}

/** What did not come up is gone, or was held back because it was suspiciously much. */
function checkSweep(view: JobView, attempt: Attempt, rows: ReadonlyMap<string, EntityRow>): void {
  const { row } = view;
  const left = [...rows.values()].filter(
    (stored) =>
      stored.generation < row.generation &&
      !cameUp(attempt, stored.entity_id) &&
      maySweep(attempt, stored.partition),
  );
  const isHeld = row.error_details?.includes('deletions_need_confirmation') ?? false;
  if (!isHeld) {
    same(
      left.length,
      0,
      'no ghost: what did not come up is gone',
      left.map((one) => one.entity_id).join(),
    );
    return;
  }
  same(row.accept_deletions, 0, 'a confirmed deletion is not held back', row.id);
  const dropped = left.length + view.swept;
  hold(dropped > mostToSweep(view), 'only a suspicious drop is held back', () => `${dropped}`);
}

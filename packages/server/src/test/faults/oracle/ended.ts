/** Checks what must be true when a job ends. */
import { CONNECTION_DELETED } from '../../../sign-in/keeper.ts';
import type { SourceItem } from '../../../sources/items.ts';
import { hold, same } from '../../random/violation.ts';
import {
  type Attempt,
  type Batch,
  cameUp,
  idsIn,
  lastWord,
  maySweep,
  maySweepPart,
  type Word,
  words,
} from './attempt.ts';
import { wrongColumns } from './content.ts';
import { configOf, countUp, type JobView, recipeText } from './job-view.ts';
import type { EntityRow } from './observe.ts';

/** A job begins again at most this often. */
const MOST_BEGINNINGS = 3;
const SMALL_DROP = 50;
const SUSPICIOUS_SHARE = 0.3;

/** Returns the largest number of records that may be deleted at once without a confirmation. */
export const mostToSweep = ({ known }: JobView): number =>
  Math.max(SMALL_DROP, known * SUSPICIOUS_SHARE);

export function checkEnded(view: JobView, rows: ReadonlyMap<string, EntityRow>): void {
  const { row, attempt } = view;
  if (row.status === 'COMPLETED') checkCompleted(view, rows);
  if (row.status !== 'FAILED') return;
  const code = JSON.parse(row.error_details ?? '{}').code;
  // A job of a deleted connection is not checked here.
  hold(row.error !== CONNECTION_DELETED, 'a connection that exists is found', () => row.id);
  hold(row.trigger !== 'push', 'no push fails', () => `${row.id}: ${row.error_details}`);
  same(code, attempt?.threw, 'a job fails with what its source threw', row.id);
  const forgotten = [...view.past, attempt].filter((one) => one?.threw === 'outdated').length;
  const mustGoOn = code === 'outdated' && attempt?.hasPlace && forgotten <= MOST_BEGINNINGS;
  hold(!mustGoOn, 'a job begins again when its place is forgotten', () => row.id);
  checkBroken(view, rows);
}

/**
 * Whatever broke the source, the batches before the failure are stored. This includes records that have not
 * changed.
 */
export function checkBroken({ row, attempt }: JobView, rows: ReadonlyMap<string, EntityRow>): void {
  if (!attempt) return;
  const { batches, first } = attempt;
  // When the source failed, the contents of the last batch but one may not have arrived yet, so this batch may not have
  // been stored.
  const hasStubs = batches.some(({ said }) =>
    [...said.values()].some(({ kind }) => kind === 'stub'),
  );
  const closed = { ...attempt, batches: batches.slice(first, hasStubs ? -2 : -1) };
  for (const id of new Set(closed.batches.flatMap(idsIn))) {
    const last = words(closed, id).findLast(isTelling);
    if (last?.kind !== 'upsert' && last?.kind !== 'stub') continue;
    same(
      rows.get(id)?.generation,
      row.generation,
      'what a source yielded before it failed is stored',
      id,
    );
  }
}

function checkCompleted(view: JobView, rows: ReadonlyMap<string, EntityRow>): void {
  const { row, attempt } = view;
  hold(attempt?.ended, 'a job is completed when its source has ended', () => row.id);
  const { recipe } = configOf(row);
  const said = new Set(attempt.batches.flatMap(idsIn));
  for (const id of said) {
    const last = words(attempt, id).findLast(isTelling);
    const stored = rows.get(id);
    if (last?.kind === 'missing' && !isHeldBack(row))
      hold(!stored, 'no ghost: what did not come up below its record is gone', () => id);
    if (last?.kind === 'remove')
      hold(!stored, 'no ghost: what the source removed is gone', () => id);
    if (last?.kind !== 'upsert' && last?.kind !== 'stub') continue;
    countUp(view, attempt, id);
    hold(stored, 'no row is lost: what came up is stored', () => `${id} of job ${row.id}`);
    const fault = faultOf(stored, last);
    const isRight = !fault || saidSince(view, attempt, id).some((word) => !faultOf(stored, word));
    hold(isRight, 'the row is what the source said last', () => `${id}: ${fault}`);
    same(recipeText(stored), recipe, 'the recipe is that of the configuration', id);
  }
  const isTrue = row.entities_kept >= view.kept && row.entities_kept <= view.kept + view.vague.size;
  hold(isTrue, 'counters are true', () => `kept of ${row.id}: ${row.entities_kept}, ${view.kept}`);
  checkLeftOut(view, attempt);
  checkSweep(view, attempt, rows);
}

const isTelling = ({ kind }: Word) => kind !== 'skip' && kind !== 'fail' && kind !== 'kept';

const isHeldBack = ({ error_details }: JobView['row']): boolean =>
  error_details?.includes('deletions_need_confirmation') ?? false;

/** Returns what differs, or undefined. */
function faultOf(stored: EntityRow, word: Word): string | undefined {
  if (word.kind !== 'upsert' && word.kind !== 'stub') return `it was said to ${word.kind}`;
  if (stored.version !== word.version) return `${stored.version} instead of ${word.version}`;
  if (stored.partition !== word.partition) return `in ${stored.partition}, not ${word.partition}`;
  const wrong = word.kind === 'upsert' ? wrongColumns(stored, word.entity) : [];
  return wrong.length > 0 ? wrong.join() : undefined;
}

/**
 * Returns the items that earlier attempts yielded, and may have stored, after the bookmark at which this
 * attempt went on. They are newer than those before the bookmark, and stand unless this attempt has yielded an
 * item for the record itself.
 */
function saidSince({ past }: JobView, attempt: Attempt, id: string): Word[] {
  const own = attempt.batches.slice(attempt.first);
  if (own.flatMap((batch) => lastWord(batch, id) ?? []).some(isTelling)) return [];
  return past.flatMap(({ batches }) =>
    batches
      .filter((batch) => !attempt.batches.includes(batch))
      .flatMap((batch) => lastWord(batch, id) ?? []),
  );
}

function checkLeftOut({ row, settled }: JobView, attempt: Attempt): void {
  const batches = [...settled, ...attempt.batches];
  const lastWords = batches.flatMap((batch) =>
    idsIn(batch).flatMap((id) => lastWord(batch, id) ?? []),
  );
  const count = (kind: SourceItem['kind']) => lastWords.filter((one) => one.kind === kind).length;
  const unread = (batch: Batch) => [...batch.below.values()].filter((one) => one === null).length;
  const lost = batches.reduce((sum, batch) => sum + batch.lost.length + unread(batch), 0);
  same(row.entities_skipped, count('skip'), 'counters are true', `skipped of job ${row.id}`);
  const skipped = lastWords.flatMap((one) => (one.kind === 'skip' ? [[one.id, one.reason]] : []));
  same(
    JSON.stringify(JSON.parse(row.skips).toSorted()),
    JSON.stringify(skipped.toSorted()),
    'what is skipped is listed with its reason',
    row.id,
  );
  same(row.entities_failed, count('fail') + lost, 'counters are true', `failed of job ${row.id}`);
}

/**
 * Tells whether the record came up in an earlier attempt of the same pull. The next pull decides what has become of
 * it.
 */
function cameUpBefore({ past }: JobView, attempt: Attempt, id: string): boolean {
  if (attempt.first === 0) return false;
  const samePull = past.slice(past.findLastIndex(({ first }) => first === 0));
  return samePull.some((one) => cameUp(one, id));
}

/**
 * A record that did not come up is deleted, unless the deletion was held back because it was suspiciously
 * large.
 */
function checkSweep(view: JobView, attempt: Attempt, rows: ReadonlyMap<string, EntityRow>): void {
  const { row } = view;
  const left = [...rows.values()].filter(
    (stored) =>
      !cameUp(attempt, stored.entity_id) &&
      !cameUpBefore(view, attempt, stored.entity_id) &&
      (row.full ? maySweep : maySweepPart)(attempt, stored.partition),
  );
  if (!isHeldBack(row)) {
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

/** Follows one job: its attempts, and the effect of its commits on each record. */
import type { CountsByType, SyncConfig } from '../../../db/schema.ts';
import type { Entity } from '../../../model/entity.ts';
import { handlersOf, RECIPE, recipeOf } from '../../../syncs/pipeline/recipe.ts';
import { hold, same } from '../../random/violation.ts';
import type { Owner } from '../clock.ts';
import { smallEmbedder } from '../embedder.ts';
import { type Attempt, type Batch, isPatient, lastWord, words } from './attempt.ts';
import { wrongColumns } from './content.ts';
import type { EntityRow, JobRow } from './observe.ts';

export interface JobView {
  row: JobRow;
  /** The process that began the last attempt. No other process may write for it. */
  owner: Owner | undefined;
  attempt: Attempt | undefined;
  /** These attempts came before the current one. */
  readonly past: Attempt[];
  /** Maps each record to the number of the batch from which its row comes. */
  applied: Map<string, number>;
  /** Counts the rows that existed before the first attempt. */
  known: number;
  /** Maps each record to the counter in which it is counted. */
  readonly fates: Map<string, 'inserted' | 'updated' | 'kept'>;
  inserted: number;
  updated: number;
  deleted: number;
  kept: number;
  chunks: number;
  /** Counts the records that were deleted because they did not come up. */
  swept: number;
  /** Records that both failed and came up. It is not defined whether they also count as kept. */
  readonly vague: Set<string>;
  /** Counts how often the connection was configured before the attempt began. */
  configurations: number;
  /** Earlier attempts of this incremental job yielded these batches before the cursor at which the attempt goes on. */
  settled: readonly Batch[];
  /** The batches of this attempt up to the cursor that it stored last. */
  upToCursor: readonly Batch[];
  /** The batch whose checkpoint is the stored cursor. Everything up to this batch must be stored. */
  cursorAt: number | undefined;
  /** The source has forgotten its place, so the next attempt begins from the start. */
  mustBeginAgain: boolean;
  /** Counts the commits by the job's worker since the job was asked to stop. */
  afterCancel: number;
  /** The end of the job has been checked. */
  isChecked: boolean;
}

export const newJobView = (row: JobRow): JobView => ({
  row,
  owner: undefined,
  attempt: undefined,
  past: [],
  applied: new Map(),
  known: 0,
  fates: new Map(),
  inserted: 0,
  updated: 0,
  deleted: 0,
  kept: 0,
  chunks: 0,
  swept: 0,
  vague: new Set(),
  configurations: 0,
  settled: [],
  upToCursor: [],
  cursorAt: undefined,
  mustBeginAgain: false,
  afterCancel: 0,
  isChecked: false,
});

/** The states to which a job may move by itself or by a cancel. */
export const NEXT: Readonly<Record<JobRow['status'], readonly JobRow['status'][]>> = {
  PENDING: ['RUNNING', 'CANCELLED'],
  RUNNING: ['COMPLETED', 'FAILED', 'CANCELLING'],
  CANCELLING: ['CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export const isLive = ({ row }: JobView): boolean =>
  row.status === 'PENDING' || row.status === 'RUNNING' || row.status === 'CANCELLING';

export const countersOf = (row: JobRow): string =>
  [
    row.entities_inserted,
    row.entities_updated,
    row.entities_deleted,
    row.entities_kept,
    row.entities_skipped,
    row.entities_failed,
    row.chunks_written,
  ].join();

const MODEL = smallEmbedder(async () => {}).model;

/** Writes a recipe as one text, in which SQLite's numbers and JavaScript's booleans are alike. */
export const recipeText = (recipe: Record<(typeof RECIPE)[number], unknown>): string =>
  RECIPE.map((part) => (typeof recipe[part] === 'boolean' ? Number(recipe[part]) : recipe[part]))
    .join(' ')
    .trim();

export function configOf({ sync_config }: JobRow) {
  const config: SyncConfig | null = sync_config === null ? null : JSON.parse(sync_config);
  const handlers = handlersOf(config);
  return { ...handlers, recipe: recipeText(recipeOf(MODEL, handlers, null)) };
}

/** Counts a record that came up with its content unchanged. A record that also failed is put into `vague`. */
export function countUp(view: JobView, attempt: Attempt, id: string): void {
  if (view.fates.has(id)) return;
  const kinds = new Set(words(attempt, id).map(({ kind }) => kind));
  if (!kinds.has('upsert') && !kinds.has('stub') && !kinds.has('kept')) return;
  if (kinds.has('fail')) view.vague.add(id);
  else {
    view.fates.set(id, 'kept');
    view.kept++;
  }
}

export function countChange(view: JobView, id: string, isNew: boolean): void {
  const fate = view.fates.get(id);
  if (isNew) view.inserted++;
  else if (fate === undefined) view.updated++;
  else if (fate === 'kept') {
    view.kept--;
    view.updated++;
  }
  view.fates.set(id, isNew ? 'inserted' : fate === 'inserted' ? fate : 'updated');
}

/**
 * Returns the item of the attempt from which a row comes. It is never older than the item that was applied
 * before.
 */
export function wordBehind(view: JobView, row: EntityRow): { entity?: Entity } | undefined {
  const { attempt } = view;
  if (!attempt) return undefined;
  const id = row.entity_id;
  for (
    let at = Math.max(attempt.first, view.applied.get(id) ?? 0);
    at < attempt.batches.length;
    at++
  ) {
    const word = lastWord(attempt.batches[at]!, id);
    if (word?.kind !== 'upsert' && word?.kind !== 'stub') continue;
    if (word.partition !== row.partition || word.version !== row.version) continue;
    if (word.kind === 'upsert' && wrongColumns(row, word.entity).length > 0) continue;
    view.applied.set(id, at);
    return word.kind === 'upsert' ? { entity: word.entity } : {};
  }
  return undefined;
}

/** A job waits at least as long as its source asked for. */
export function checkPatience({ row, attempt }: JobView, until: number): void {
  const isKept = !attempt?.patience || isPatient(attempt.patience, until) !== false;
  hold(
    isKept,
    'a pause that the source asked for is kept',
    () => `${row.id}: ${until - attempt!.patience!.wall} ms`,
  );
}

/** The counters must be true at every moment, not only at the end. */
export function checkCounters({ row, ...view }: JobView): void {
  const where = `job ${row.id}`;
  const rule = 'counters are true';
  same(row.entities_inserted, view.inserted, rule, `${where} inserted`);
  same(row.entities_updated, view.updated, rule, `${where} updated`);
  same(row.entities_deleted, view.deleted, rule, `${where} deleted`);
  same(row.chunks_written, view.chunks, rule, `${where} chunks`);
  same(row.failures, row.entities_failed, rule, `${where} failed`);
  checkSkipped(row);
  const encountered = sum(row.encountered);
  const counted = row.entities_inserted + row.entities_updated + row.entities_kept;
  same(encountered, counted, 'counters add up', `${where} encountered`);
  const leftOut = row.entities_skipped + row.entities_failed;
  same(sum(row.left_out), leftOut, 'counters add up', `${where} left out`);
  const byType: CountsByType = JSON.parse(row.by_type);
  for (const word of ['inserted', 'updated', 'deleted', 'failed'] as const)
    same(
      sum(JSON.stringify(byType[word])),
      row[`entities_${word}`],
      'counters add up',
      `${where} ${word} by type`,
    );
  same(row.entities_kept < 0, false, 'counters add up', `${where}: kept below zero`);
}

/**
 * The list of skipped records must agree with the counts, for each reason. The simulation never skips 1,000 in
 * one job.
 */
function checkSkipped(row: JobRow): void {
  const skips: [id: string, reason: string][] = JSON.parse(row.skips);
  const rule = 'what is skipped is listed and counted by reason';
  same(skips.length, row.entities_skipped, rule, `job ${row.id}`);
  const listed = Map.groupBy(skips, ([, reason]) => reason);
  const counts = Object.entries<number>(JSON.parse(row.skipped_by_reason));
  for (const [reason, count] of counts)
    same(listed.get(reason)?.length, count, rule, `${reason} of job ${row.id}`);
  same(counts.length, listed.size, rule, `reasons of job ${row.id}`);
}

function sum(counts: string): number {
  let total = 0;
  for (const count of Object.values(JSON.parse(counts))) {
    same(typeof count === 'number' && count >= 0, true, 'counters add up', counts);
    total += Number(count);
  }
  return total;
}

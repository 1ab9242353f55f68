/** What the oracle knows of one job: its attempts, and what became of each record by its commits. */
import type { SyncConfig } from '../../../db/schema.ts';
import type { Entity } from '../../../model/entity.ts';
import { handlersOf, recipeOf } from '../../../syncs/pipeline/recipe.ts';
import type { Owner } from '../clock.ts';
import { smallEmbedder } from '../embedder.ts';
import { type Attempt, isPatient, lastWord, words } from './attempt.ts';
import { wrongColumns } from './content.ts';
import type { EntityRow, JobRow } from './observe.ts';
import { hold, same } from './violation.ts';

export interface JobView {
  row: JobRow;
  /** The process that began the last attempt: nobody else may write for it. */
  owner: Owner | undefined;
  attempt: Attempt | undefined;
  /** The attempts before it. */
  readonly past: Attempt[];
  /** Of each record, the batch of the attempt from which its row is. */
  applied: Map<string, number>;
  /** How many rows there were before its first attempt. */
  known: number;
  /** What each record counts as. */
  readonly fates: Map<string, 'inserted' | 'updated' | 'kept'>;
  inserted: number;
  updated: number;
  deleted: number;
  kept: number;
  chunks: number;
  /** Records that went because they did not come up. */
  swept: number;
  /** Records that both failed and came up: whether they count as kept besides is not said. */
  readonly vague: Set<string>;
  /** How often the connection had been configured when the attempt began. */
  configurations: number;
  /** The batch whose checkpoint is the stored cursor; what is up to there must be stored. */
  cursorAt: number | undefined;
  /** Commits of its worker since it was asked to stop. */
  afterCancel: number;
  /** Its end has been looked at. */
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
  cursorAt: undefined,
  afterCancel: 0,
  isChecked: false,
});

/** Where a job may move to by itself or by a cancel. */
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

export function configOf({ sync_config }: JobRow) {
  const config: SyncConfig | null = sync_config === null ? null : JSON.parse(sync_config);
  const handlers = handlersOf(config);
  return { ...handlers, recipe: recipeOf(MODEL, handlers) };
}

/** A row came up with the content that it had; or, if nothing else is known of it, failed. */
export function countUp(view: JobView, attempt: Attempt, id: string): void {
  if (view.fates.has(id)) return;
  const kinds = new Set(words(attempt, id).map(({ kind }) => kind));
  if (!kinds.has('upsert') && !kinds.has('stub')) return;
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

/** The word of the attempt behind a row as it stands now; none is older than what was applied. */
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

/** A job waits no shorter than its source has asked for. */
export function checkPatience({ row, attempt }: JobView, until: number): void {
  const isKept = !attempt?.patience || isPatient(attempt.patience, until) !== false;
  hold(isKept, 'patience is kept', () => `${row.id}: ${until - attempt!.patience!.wall} ms`);
}

/** Counters are true at every moment, not only at the end. */
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
  same(row.entities_kept < 0, false, 'counters add up', `${where}: kept below zero`);
}

/** What is listed as skipped is what is counted, by each reason. The simulation never skips 1,000 in one job. */
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

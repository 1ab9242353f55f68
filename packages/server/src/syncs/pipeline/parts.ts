/**
 * Splits prepared changes into commits of about 200 chunks. The entities that were made of a record are written no
 * later than the record's own row, and deleted no later: after a crash between two commits, the record is processed
 * again.
 */
import type { Embedder } from '../../engines/ports.ts';
import type { Vector } from '../../model/vector.ts';
import { skip } from '../../sources/define.ts';
import { must } from '../../util.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import { holdsSecret } from '../jobs/secrets.ts';
import { addTally, countNames, noTally, type Tally } from '../jobs/tally.ts';
import { type Changes, nothing, type PreparedChange, rowId } from './commit.ts';
import { DROPPED, type EntityChange, type Judge, tallySeen } from './compare.ts';
import { type Preparation, toChunks } from './prepare.ts';
import { wantsChunks } from './recipe.ts';
import type { StoredEntity } from './store.ts';

const CHUNKS_A_COMMIT = 200;

export interface PartOptions {
  /** All changes go into one transaction. */
  readonly atomic: boolean;
  readonly embedder: Embedder;
  readonly knownVectors: (textHashes: readonly string[]) => Promise<ReadonlyMap<string, Vector>>;
  readonly tallyOf: (change: PreparedChange) => Tally;
  readonly signal: AbortSignal;
}

/** Records that are unchanged or left out are in the last commit. */
export async function toCommits(
  { changes, seen, leftOut, deletions, held }: Preparation,
  by: Judge,
  options: PartOptions,
): Promise<Changes[]> {
  const all = changes.length + seen.length + leftOut.length + deletions.length + held.length;
  if (all === 0) return [];
  const writes = await withChunks(changes, options);
  const [first = [], ...groups] = options.atomic ? [writes] : wholeEntities(writes);
  const toChanges = (group: readonly PreparedChange[], gone: readonly StoredEntity[]): Changes => {
    const tallied = group.map((write) => ({ write, tally: options.tallyOf(write) }));
    const dropped = tallied.filter(({ tally }) => tally.skipped > 0);
    return {
      ...nothing,
      writes: group,
      deletions: gone,
      leftOut: dropped.map(({ write: { entity } }) => droppedRecord(entity.id, entity.type)),
      tally: [
        ...tallied.map(({ tally }) => tally),
        tallyChunks(group),
        tallyDeletions(gone),
      ].reduce(addTally),
    };
  };
  const commits = [toChanges(first, deletions), ...groups.map((group) => toChanges(group, []))];
  const last = must(commits.pop());
  const rest = tallyRest(seen, leftOut, by);
  return [
    ...commits,
    {
      ...last,
      seen,
      held,
      leftOut: [...last.leftOut, ...leftOut, ...rest.dropped],
      tally: addTally(last.tally, rest.tally),
    },
  ];
}

async function withChunks(
  changes: readonly EntityChange[],
  { knownVectors, embedder, signal }: PartOptions,
): Promise<PreparedChange[]> {
  const rows = changes.map((change) => ({
    ...change,
    row: rowId(change),
    hasSecret: change.hidden === null && holdsSecret(change.entity),
  }));
  const shown = rows.filter(({ hidden, recipe }) => hidden === null && wantsChunks(recipe));
  const made = await toChunks(shown, knownVectors, embedder, signal);
  const chunks = new Map(made.map((write) => [write.row, write.chunks]));
  return rows.map((row) => ({ ...row, chunks: chunks.get(row.row) ?? [] }));
}

/** Groups whole entities so that a group has about as many chunks as a commit may have. */
function wholeEntities(writes: readonly PreparedChange[]): PreparedChange[][] {
  const groups: PreparedChange[][] = [];
  let chunks = Number.POSITIVE_INFINITY;
  for (const write of writes) {
    if (chunks + write.chunks.length > CHUNKS_A_COMMIT) {
      groups.push([]);
      chunks = 0;
    }
    must(groups.at(-1)).push(write);
    // An entity without chunks still costs its row.
    chunks += Math.max(1, write.chunks.length);
  }
  return groups;
}

const tallyChunks = (writes: readonly PreparedChange[]): Tally => ({
  ...noTally,
  chunks: writes.reduce((sum, { chunks }) => sum + chunks.length, 0),
});

/** Counts only deletions of shown entities, because no reader misses the hidden ones. */
export const tallyDeletions = (deletions: readonly StoredEntity[]): Tally => ({
  ...noTally,
  deleted: deletions.filter(({ is_hidden }) => !is_hidden).length,
});

/** Counts what a commit has besides its writes, and finds the seen records that are still dropped. */
function tallyRest(seen: Preparation['seen'], leftOut: Preparation['leftOut'], by: Judge) {
  const tallied = seen.map((one) => ({ stored: one.stored, tally: tallySeen(one, by) }));
  const skipped = leftOut.filter(({ kind }) => kind === 'skip');
  const rest: Tally = {
    ...noTally,
    skipped: skipped.length,
    failed: leftOut.length - skipped.length,
    leftOut: countNames(leftOut.map(({ type }) => type)),
    skippedBy: countNames(skipped.map(({ reason }) => reason)),
  };
  return {
    tally: tallied.map(({ tally }) => tally).reduce(addTally, rest),
    dropped: tallied
      .filter(({ tally }) => tally.skipped > 0)
      .map(({ stored }) => droppedRecord(stored.entity_id, stored.entity_type)),
  };
}

const droppedRecord = (id: string, type: string): LeftOutRecord => ({
  ...skip(id, type, { reason: DROPPED }),
  stage: 'transform',
});

/**
 * What is to be stored, in commits of about 200 chunks. Rows that were made of a record are written no
 * later than its own, and removed no later: a crash between two commits leaves it to be made again.
 */
import type { Embedder } from '../engines/ports.ts';
import type { Vector } from '../model/vector.ts';
import { must } from '../util.ts';
import { type Changes, nothing, type Prepared, rowId } from './commit.ts';
import { type Change, type Judge, tallySeen } from './compare.ts';
import { type Preparation, toChunks } from './prepare.ts';
import { wantsChunks } from './recipe.ts';
import type { Stored } from './store.ts';
import { addTally, countTypes, noTally, type Tally } from './tally.ts';

const CHUNKS_A_COMMIT = 200;

export interface PartOptions {
  /** Everything in one transaction. */
  readonly atomic: boolean;
  readonly embedder: Embedder;
  readonly knownVectors: (textHashes: readonly string[]) => Promise<ReadonlyMap<string, Vector>>;
  readonly tallyOf: (change: Change) => Tally;
  readonly signal: AbortSignal;
}

/** What only repeats what is stored, or was left out, is in the last of them. */
export async function toCommits(
  { changes, seen, leftOut, deletions, held }: Preparation,
  by: Judge,
  options: PartOptions,
): Promise<Changes[]> {
  const all = changes.length + seen.length + leftOut.length + deletions.length + held.length;
  if (all === 0) return [];
  const writes = await withChunks(changes, options);
  const [first = [], ...groups] = options.atomic ? [writes] : wholeEntities(writes);
  const toChanges = (group: readonly Prepared[], gone: readonly Stored[]): Changes => ({
    ...nothing,
    writes: group,
    deletions: gone,
    tally: addTally(tallyWrites(group, options.tallyOf), tallyDeletions(gone)),
  });
  const commits = [toChanges(first, deletions), ...groups.map((group) => toChanges(group, []))];
  const last = must(commits.pop());
  const failures = leftOut.filter(({ kind }) => kind === 'fail');
  const tally = addTally(last.tally, tallyRest(seen, leftOut, by));
  return [...commits, { ...last, seen, held, failures, tally }];
}

async function withChunks(
  changes: readonly Change[],
  { knownVectors, embedder, signal }: PartOptions,
): Promise<Prepared[]> {
  const rows = changes.map((change) => ({ ...change, row: rowId(change) }));
  const shown = rows.filter(({ hidden, recipe }) => hidden === null && wantsChunks(recipe));
  const made = await toChunks(shown, knownVectors, embedder, signal);
  const chunks = new Map(made.map((write) => [write.row, write.chunks]));
  return rows.map((row) => ({ ...row, chunks: chunks.get(row.row) ?? [] }));
}

/** Runs of whole entities with about as many chunks as a commit holds. */
function wholeEntities(writes: readonly Prepared[]): Prepared[][] {
  const groups: Prepared[][] = [];
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

const tallyWrites = (writes: readonly Prepared[], tallyOf: PartOptions['tallyOf']): Tally =>
  writes
    .map((write) => addTally(tallyOf(write), { ...noTally, chunks: write.chunks.length }))
    .reduce(addTally, noTally);

/** Of what was shown: nobody misses the rest. */
export const tallyDeletions = (deletions: readonly Stored[]): Tally => ({
  ...noTally,
  deleted: deletions.filter(({ is_hidden }) => !is_hidden).length,
});

/** What a commit counts besides its writes. */
function tallyRest(seen: Preparation['seen'], leftOut: Preparation['leftOut'], by: Judge): Tally {
  const skipped = leftOut.filter(({ kind }) => kind === 'skip').length;
  const rest: Tally = {
    ...noTally,
    skipped,
    failed: leftOut.length - skipped,
    leftOut: countTypes(leftOut.map(({ type }) => type)),
  };
  return seen.map((one) => tallySeen(one, by)).reduce(addTally, rest);
}

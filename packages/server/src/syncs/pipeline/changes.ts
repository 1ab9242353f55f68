/**
 * Turns decisions into commits: gives the written entities their chunks, and splits the decisions into commits with a
 * bounded number of chunks. The decisions keep their order. The entities that transformers made of a record come before
 * the record's own row. If they are in an earlier commit than the row and the process dies between the two commits, the
 * row is still the old one, so the next attempt processes the record again.
 */
import { groupedBySize, must, newId } from '../../util.ts';
import type { BookmarkUpdate } from '../jobs/bookmark-store.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import { addTally, noTally, type Tally } from '../jobs/tally.ts';
import { type ChunkDeps, chunksOf } from './chunks.ts';
import type { Counted } from './count.ts';
import { type Decision, goneIn, ofKind, type PreparedDecision } from './decision.ts';
import { type RowTarget, toRetained, toRow } from './row.ts';

/** One transaction stores these changes. */
export interface Changes {
  readonly decisions: readonly PreparedDecision[];
  /** This transaction adds the tally to the counters. */
  readonly tally: Tally;
  /** The sync does not take these records in, and the tally counts each of them. */
  readonly leftOut: readonly LeftOutRecord[];
  /** Records with these ids failed. They exist at the source, so their stored entities are not swept. */
  readonly spared: readonly string[];
  /** The stored cursor stays as it is when this is undefined. */
  readonly cursor: unknown;
  readonly bookmark: BookmarkUpdate | undefined;
}

export const noChanges: Changes = {
  decisions: [],
  tally: noTally,
  leftOut: [],
  spared: [],
  cursor: undefined,
  bookmark: undefined,
};

export interface ChangesOptions extends ChunkDeps {
  /** A commit has about this many chunks, and at least one whole entity. */
  readonly maxChunks: number;
  readonly target: RowTarget;
  readonly countOf: (decision: PreparedDecision) => Counted;
}

export async function splitIntoCommits(
  decisions: readonly Decision[],
  options: ChangesOptions,
): Promise<Changes[]> {
  const prepared = await prepareDecisions(decisions, options);
  return [...groupedBySize(prepared, sizeOf, options.maxChunks)].map((group) =>
    changesOf(group, options.countOf),
  );
}

export function changesOf(
  decisions: readonly PreparedDecision[],
  countOf: ChangesOptions['countOf'],
): Changes {
  const counted = decisions.map(countOf);
  return {
    ...noChanges,
    decisions,
    tally: counted.map(({ tally }) => tally).reduce(addTally, noTally),
    leftOut: counted.flatMap(({ leftOut }) => leftOut ?? []),
  };
}

/**
 * Returns the size in chunks. An entity without chunks has the size 1; an unchanged or left-out record has the size 0.
 */
function sizeOf(decision: PreparedDecision): number {
  switch (decision.kind) {
    case 'write':
      return Math.max(1, decision.chunks.length);
    case 'delete':
      return goneIn(decision).length;
    case 'touch':
    case 'below':
    case 'skip':
    case 'fail':
      return 0;
    default:
      return 1;
  }
}

/** Adds to each decision the columns and the chunks that its commit writes. */
async function prepareDecisions(
  decisions: readonly Decision[],
  options: ChangesOptions,
): Promise<PreparedDecision[]> {
  const rows = new Map(
    ofKind(decisions, 'write', 'hide').map((one) => [one, one.stored?.id ?? newId()]),
  );
  const searchable = ofKind(decisions, 'write').filter(({ recipe }) => recipe.is_searchable);
  const chunks = await chunksOf(
    searchable.map((one) => ({ row: must(rows.get(one)), entity: one.entity })),
    options,
  );
  return decisions.map((decision) => {
    if (decision.kind === 'retain') return { ...decision, columns: toRetained(decision) };
    if (decision.kind !== 'write' && decision.kind !== 'hide') return decision;
    const row = must(rows.get(decision));
    const columns = toRow({ ...decision, row }, options.target);
    return decision.kind === 'hide'
      ? { ...decision, row, columns }
      : { ...decision, row, columns, chunks: chunks.get(row) ?? [] };
  });
}

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
import type { MadeChunks } from './chunks.ts';
import { type ChunkDeps, chunksInOrder } from './chunks-in-order.ts';
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

/** While the caller stores the first changes, other threads make the chunks of later ones. */
export async function* splitIntoCommits(
  decisions: readonly Decision[],
  options: ChangesOptions,
): AsyncGenerator<Changes, void, void> {
  const rows = new Map(
    ofKind(decisions, 'write', 'hide').map((one) => [one, one.stored?.id ?? newId()]),
  );
  const groups = groupsOf(decisions, options);
  const searchable = groups.map((group) =>
    ofKind(group, 'write')
      .filter(({ recipe }) => recipe.is_searchable)
      .map((one) => ({ row: must(rows.get(one)), entity: one.entity })),
  );
  let at = 0;
  let waiting: PreparedDecision[] = [];
  for await (const chunks of chunksInOrder(searchable, options)) {
    for (const one of must(groups[at++])) waiting.push(preparedOf(one, { rows, chunks }, options));
    const commits = [...groupedBySize(waiting, sizeOf, options.maxChunks)];
    // The last commit may have room for decisions of the next group.
    waiting = commits.pop() ?? [];
    for (const commit of commits) yield changesOf(commit, options.countOf);
  }
  if (waiting.length > 0) yield changesOf(waiting, options.countOf);
}

/** The chunks of so many characters make about one commit, and are worth a message to another thread. */
const GROUP_CHARACTERS = 150_000;

/** An embedder of others gets all texts at once. Where one commit must have everything, one group has everything. */
function groupsOf(
  decisions: readonly Decision[],
  { embedder, maxChunks }: ChangesOptions,
): (readonly Decision[])[] {
  if (!embedder.isBuiltIn || maxChunks === Infinity) return [decisions];
  const charactersOf = (one: Decision) => (one.kind === 'write' ? one.entity.text.length : 0);
  return [...groupedBySize(decisions, charactersOf, GROUP_CHARACTERS)];
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

/** Adds to a decision the columns and the chunks that its commit writes. */
function preparedOf(
  decision: Decision,
  { rows, chunks }: { readonly rows: ReadonlyMap<Decision, string>; readonly chunks: MadeChunks },
  options: ChangesOptions,
): PreparedDecision {
  if (decision.kind === 'retain') return { ...decision, columns: toRetained(decision) };
  if (decision.kind !== 'write' && decision.kind !== 'hide') return decision;
  const row = must(rows.get(decision));
  const columns = toRow({ ...decision, row }, options.target);
  return decision.kind === 'hide'
    ? { ...decision, row, columns }
    : { ...decision, row, columns, chunks: chunks.get(row) ?? [] };
}

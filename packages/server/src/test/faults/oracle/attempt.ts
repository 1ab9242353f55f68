/**
 * Records what a source yielded during one attempt of a job, and derives what follows from it. It implements the
 * definitions of `sources/define.ts` a second time, without a database.
 */
import type { Membership } from '../../../sources/define.ts';
import type { LeftOut, SourceItem, Upsert } from '../../../sources/items.ts';

const RECORDS_A_BATCH = 200;

export type Said = Exclude<SourceItem, { kind: 'bookmark' | 'checkpoint' | 'listed' | 'lost' }>;
type Answer = Upsert | LeftOut;

export interface Attempt {
  /** The part of the source that the configuration names. */
  readonly part: string;
  /**
   * The number of the first batch of this attempt. The batches before it come from an earlier attempt, up to
   * its bookmark.
   */
  readonly first: number;
  readonly batches: Batch[];
  /** The pull went on at a cursor or a bookmark. */
  readonly hasPlace: boolean;
  /** The source listed these members of groups last. */
  members: readonly Membership[] | undefined;
  /** The generator came to its end. */
  ended: boolean;
  /** The source threw a SourceError of this kind. */
  threw: string | undefined;
  /** The last pause for which the source asked. */
  patience: Patience | undefined;
}

/**
 * This is the end of a pause by the clock of the machine (`wall`), which may be set during the pause, and by the
 * monotonic clock (`elapsed`).
 */
export interface Patience {
  readonly wall: number;
  readonly elapsed: number;
}

export const patienceOf = (seconds: number): Patience => ({
  wall: Date.now() + seconds * 1000,
  elapsed: performance.now() + seconds * 1000,
});

/** Tells whether `until` is after the pause by the machine's clock; undefined when that was set during the pause. */
export function isPatient({ wall, elapsed }: Patience, until: number): boolean | undefined {
  const wasSet = Date.now() - performance.now() !== wall - elapsed;
  return wasSet ? undefined : until >= wall;
}

export interface Batch {
  /** Maps the id of each record to its last item in the batch. */
  readonly said: Map<string, Said>;
  /** Maps the ids of stubs to the answers of hydrate. */
  readonly answers: Map<string, Answer>;
  readonly listed: string[];
  readonly lost: string[];
  cursor: unknown;
}

const emptyBatch = (): Batch => ({
  said: new Map(),
  answers: new Map(),
  listed: [],
  lost: [],
  cursor: undefined,
});

export const newAttempt = (
  part: string,
  { said = [], hasPlace = false }: { said?: readonly Batch[]; hasPlace?: boolean } = {},
): Attempt => ({
  part,
  hasPlace,
  first: said.length,
  batches: [...said, emptyBatch()],
  members: undefined,
  ended: false,
  threw: undefined,
  patience: undefined,
});

export function say(attempt: Attempt, item: SourceItem): void {
  const batch = attempt.batches.at(-1)!;
  if (item.kind === 'listed') batch.listed.push(item.partition);
  else if (item.kind === 'lost') batch.lost.push(item.partition);
  else if (item.kind === 'checkpoint') batch.cursor = item.cursor;
  else if (item.kind !== 'bookmark') batch.said.set(idOf(item), item);
  if (item.kind === 'checkpoint' || item.kind === 'bookmark' || batch.said.size >= RECORDS_A_BATCH)
    attempt.batches.push(emptyBatch());
}

export function answer(attempt: Attempt, item: Answer): void {
  const id = idOf(item);
  for (const batch of attempt.batches.toReversed())
    if (batch.said.get(id)?.kind === 'stub' && !batch.answers.has(id)) {
      batch.answers.set(id, item);
      return;
    }
  throw new Error(`nobody asked for ${id}`);
}

/** Returns the last item of a batch for an id. The answer of hydrate takes the place of its stub. */
export const lastWord = (batch: Batch, id: string): Said | undefined =>
  batch.answers.get(id) ?? batch.said.get(id);

/** Returns the items for an id, in order, one from each batch that has any. */
export const words = (attempt: Attempt, id: string): Said[] =>
  attempt.batches.flatMap((batch) => lastWord(batch, id) ?? []);

/** Tells whether the record came up, so that its worker must not conclude from this pull that it was deleted. */
export const cameUp = (attempt: Attempt, id: string): boolean =>
  words(attempt, id).some(({ kind }) => kind !== 'remove' && kind !== 'skip');

/** Tells whether records that did not come up in the partition were deleted in the source. */
export function maySweep(attempt: Attempt, partition: string): boolean {
  if (!attempt.ended) return false;
  const lost = attempt.batches.flatMap((batch) => batch.lost);
  if (lost.some((part) => isAtOrBelow(partition, part))) return false;
  if (attempt.batches.some((batch) => batch.listed.includes(partition))) return true;
  return !attempt.batches.some((batch) =>
    [...batch.said.values()].some((item) => 'partition' in item && item.partition === partition),
  );
}

/**
 * Tells whether an incremental pull has listed this partition whole, so that its other records were deleted in the
 * source. The partitions below it are others.
 */
export function maySweepPart({ batches }: Attempt, partition: string): boolean {
  const at = batches.findIndex(({ listed }) => listed.includes(partition));
  const lost = batches.slice(0, at + 1).flatMap((batch) => batch.lost);
  return at >= 0 && !lost.some((part) => isAtOrBelow(partition, part));
}

const isAtOrBelow = (partition: string, part: string): boolean =>
  part === '' || part === partition || partition.startsWith(`${part}/`);

export const idOf = (item: Said): string => (item.kind === 'upsert' ? item.entity.id : item.id);

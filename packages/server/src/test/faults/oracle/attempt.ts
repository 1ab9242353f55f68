/**
 * Records what a source yielded during one attempt of a job, and derives what follows from it. It implements the
 * definitions of `sources/define.ts` a second time, without a database.
 */
import type { Membership } from '../../../sources/define.ts';
import type {
  BelowList,
  ChildRecord,
  LeftOut,
  SourceItem,
  Upsert,
} from '../../../sources/items.ts';
import { aboveOf } from '../company.ts';

const RECORDS_A_BATCH = 200;

export type Said = Exclude<SourceItem, { kind: 'bookmark' | 'checkpoint' | 'listed' | 'lost' }>;
type Answer = Upsert | LeftOut;
/**
 * Says of a record below another one that it was missing when everything below was listed (`missing`), or that the source
 * was not asked what is below (`kept`).
 */
interface Implied {
  readonly kind: 'missing' | 'kept';
  readonly id: string;
}
export type Word = Said | Implied;

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
  /** Maps the ids of stubs to what is below them, by its ids; null where it could not be listed. */
  readonly below: Map<string, ReadonlyMap<string, ChildRecord> | null>;
  readonly listed: string[];
  readonly lost: string[];
  cursor: unknown;
}

const emptyBatch = (): Batch => ({
  said: new Map(),
  answers: new Map(),
  below: new Map(),
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
    if (saidIn(batch, id)?.kind === 'stub' && !batch.answers.has(id)) {
      batch.answers.set(id, item);
      return;
    }
  throw new Error(`nobody asked for ${id}`);
}

/** The source has said what is below a record of the last batch that asks for it. */
export function answerBelow(attempt: Attempt, item: BelowList | LeftOut): void {
  for (const { said, below } of attempt.batches.toReversed()) {
    const stub = said.get(item.id);
    if (stub?.kind !== 'stub' || !stub.hasBelow || below.has(item.id)) continue;
    const { partition } = stub;
    const placed = (child: ChildRecord) => ('partition' in child ? { ...child, partition } : child);
    const children = item.kind === 'below' ? item.children.map(placed) : null;
    below.set(item.id, children && new Map(children.map((child) => [idOf(child), child])));
    return;
  }
  throw new Error(`nobody asked what is below ${item.id}`);
}

const saidIn = ({ said, below }: Batch, id: string): Said | undefined =>
  below.get(aboveOf(id) ?? '')?.get(id) ?? said.get(id);

/** Returns the ids of all records that a batch names, also below others. */
export const idsIn = ({ said, below }: Batch): string[] => [
  ...said.keys(),
  ...[...below.values()].flatMap((children) => [...(children?.keys() ?? [])]),
];

/**
 * Returns the last item of a batch for an id. The answer of hydrate takes the place of its stub. Of a record below another
 * one, the other may tell something.
 */
export function lastWord(batch: Batch, id: string): Word | undefined {
  const word = batch.answers.get(id) ?? saidIn(batch, id);
  const above = aboveOf(id);
  return word ?? (above === null ? undefined : impliedBy(batch, above, id));
}

function impliedBy({ said, below }: Batch, above: string, id: string): Word | undefined {
  const word = said.get(above);
  if (word?.kind === 'fail') return { ...word, id };
  if (word?.kind === 'remove' || (word?.kind === 'stub' && !word.hasBelow))
    return { kind: 'remove', id };
  if (word?.kind !== 'stub') return undefined;
  const children = below.get(above);
  if (children === null) return { ...fail, id };
  return { kind: children ? 'missing' : 'kept', id };
}
const fail = { kind: 'fail', type: '', reason: '', detail: null, hint: null } as const;

/** Returns the items for an id, in order, one from each batch that has any. */
export const words = (attempt: Attempt, id: string): Word[] =>
  attempt.batches.flatMap((batch) => lastWord(batch, id) ?? []);

/** Tells whether the record came up, so that its worker must not conclude from this pull that it was deleted. */
export const cameUp = (attempt: Attempt, id: string): boolean =>
  words(attempt, id).some(({ kind }) => !['remove', 'skip', 'missing'].includes(kind));

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

/**
 * What a source said during one attempt of a job, and what follows from it: the definitions of
 * `sources/define.ts`, written down once more without a database.
 */
import type { LeftOut, Membership, SourceItem, Upsert } from '../../../sources/define.ts';

const RECORDS_A_BATCH = 200;

export type Said = Exclude<SourceItem, { kind: 'bookmark' | 'checkpoint' | 'listed' | 'lost' }>;
type Answer = Upsert | LeftOut;

export interface Attempt {
  /** The part of the source that the configuration names. */
  readonly part: string;
  /** The first batch of its own: what comes before, an earlier attempt said until its bookmark. */
  readonly first: number;
  readonly batches: Batch[];
  /** Who it said is in which group, when it was asked last. */
  members: readonly Membership[] | undefined;
  /** The generator came to its end. */
  ended: boolean;
  /** The kind of the SourceError that it threw. */
  threw: string | undefined;
  /** The source asked for it last. */
  patience: Patience | undefined;
}

/** Until when, by the clock of the machine, which may be set meanwhile, and by one that nobody sets. */
export interface Patience {
  readonly wall: number;
  readonly elapsed: number;
}

export const patienceOf = (seconds: number): Patience => ({
  wall: Date.now() + seconds * 1000,
  elapsed: performance.now() + seconds * 1000,
});

/** Whether a time by the clock of the machine is late enough; undefined when it was set meanwhile. */
export function isPatient({ wall, elapsed }: Patience, until: number): boolean | undefined {
  const wasSet = Date.now() - performance.now() !== wall - elapsed;
  return wasSet ? undefined : until >= wall;
}

export interface Batch {
  /** By id, the last word on it. */
  readonly said: Map<string, Said>;
  /** What hydrate answered for stubs. */
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

export const newAttempt = (part: string, said: readonly Batch[] = []): Attempt => ({
  part,
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

/** The last word of a batch on an id, behind its stub where it was asked for. */
export const lastWord = (batch: Batch, id: string): Said | undefined =>
  batch.answers.get(id) ?? batch.said.get(id);

/** All words on an id, in order. */
export const words = (attempt: Attempt, id: string): Said[] =>
  attempt.batches.flatMap((batch) => lastWord(batch, id) ?? []);

/** It came up: nobody may conclude from this pull that it is gone. */
export const cameUp = (attempt: Attempt, id: string): boolean =>
  words(attempt, id).some(({ kind }) => kind !== 'remove' && kind !== 'skip');

/** Whether what did not come up in the partition is gone from the source. */
export function maySweep(attempt: Attempt, partition: string): boolean {
  if (!attempt.ended) return false;
  const lost = attempt.batches.flatMap((batch) => batch.lost);
  if (lost.some((part) => part === '' || part === partition || partition.startsWith(`${part}/`)))
    return false;
  if (attempt.batches.some((batch) => batch.listed.includes(partition))) return true;
  return !attempt.batches.some((batch) =>
    [...batch.said.values()].some((item) => 'partition' in item && item.partition === partition),
  );
}

export const idOf = (item: Said): string => (item.kind === 'upsert' ? item.entity.id : item.id);

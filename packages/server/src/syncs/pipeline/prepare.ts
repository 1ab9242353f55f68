/**
 * Decides what becomes of the records of a batch: hydrate ▶ extract ▶ compare ▶ transform. An error in one record is
 * counted and listed, and does not affect the other records.
 */
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import type { LeftOut, Stub, Upsert } from '../../sources/items.ts';
import type { Chain } from '../../transformers/chain.ts';
import { chunked } from '../../util.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import type { ItemBatch } from './batches.ts';
import { type BatchBelow, decisionsBelow } from './below.ts';
import {
  compare,
  type ExtractedUpsert,
  hasSameSource,
  isUnchangedStub,
  type Stale,
  type SyncAttempt,
} from './compare.ts';
import { type Decision, type Delete, deletes, type Touch, touchOf, touchWith } from './decision.ts';
import { type ExtractDeps, extract, inStage } from './extract.ts';
import { TRANSFORMED_AT_ONCE } from './limits.ts';
import { charactersOf, entityHash, timesOf, withTimes } from './record.ts';
import { isShownWithin } from './shown-access.ts';
import type { StoredEntity } from './store.ts';
import { rowsOf, type StoredRelatives, transform } from './transform.ts';

/** This many files are read at once. */
const PARALLEL = 8;

export interface PrepareDeps extends ExtractDeps {
  readonly hydrate: (stubs: readonly Stub[]) => AsyncIterable<Upsert | LeftOut>;
  readonly chain: Chain;
  readonly target: SyncAttempt;
  /** A part of a batch has about this many characters of text. */
  readonly characters: number;
  /** A part of a batch takes about this long. It is infinite for a batch that is stored as a whole or not at all. */
  readonly milliseconds: number;
  /** Reads the records of these rows as their source gave them. A record that cannot be read is missing. */
  readonly readStored: (rows: readonly string[]) => Promise<ReadonlyMap<string, Entity>>;
}

export interface StoredBatch {
  /** The keys are the ids of the records at the source. */
  readonly stored: ReadonlyMap<string, StoredEntity>;
  readonly relatives: StoredRelatives;
  readonly below: BatchBelow;
  /** The files of these records were refused before, and would be refused again, by the ids of the records. */
  readonly refusals: ReadonlyMap<string, LeftOutRecord>;
}

/**
 * Yields the decisions on a batch in parts of about `characters` characters of text, and at least one part. Because of
 * the parts, few texts are in memory at once, although a hydrated stub may have a text of any size. Removals are in
 * the last part. When the source breaks, what was read before is the last part.
 */
export async function* prepare(
  batch: ItemBatch,
  { stored, relatives, below, refusals }: StoredBatch,
  deps: PrepareDeps,
): AsyncGenerator<Decision[], void, void> {
  const { target } = deps;
  let part: Decision[] = [];
  let size = 0;
  let waiting: Stale[] = [];
  for (const item of batch.leftOut)
    part.push(inStage('pull')(item), ...withBelow(item.removes === 'record' ? [item.id] : []));
  part.push(...decisionsBelow(batch, { stored, below, generation: target.generation }));
  const rowOf = (id: string) => rowWith(stored.get(id), relatives);
  const { unchanged, refused, ...read } = sortStubs(batch.stubs, { rowOf, refusals }, target);
  part.push(...unchanged.flatMap(touch), ...refused.flatMap(leaveOut));
  let began = performance.now();
  try {
    for await (const item of wholeRecords(batch, read, deps)) {
      take(item);
      if (waiting.length >= TRANSFORMED_AT_ONCE) part.push(...(await transformWaiting()));
      const isLate = performance.now() - began >= deps.milliseconds;
      if (isLate || size >= deps.characters) yield await takePart();
    }
  } catch (error) {
    // The next attempt would read everything again, which may cost much time or money.
    if (error instanceof SourceError && deps.milliseconds < Infinity) yield await takePart();
    throw error;
  }
  part.push(...(await transformWaiting()));
  part.push(...withBelow(batch.removals));
  yield part;

  function take(item: ExtractedUpsert | LeftOutRecord): void {
    if (item.kind !== 'upsert') {
      part.push(...leaveOut(item));
      return;
    }
    const { entity } = item;
    const row = rowOf(entity.id);
    const result = compare(item, { hash: entityHash(entity), stored: row }, target);
    if ('kind' in result) part.push(...touch(result));
    else waiting.push(result);
    size += charactersOf(entity);
  }

  async function takePart(): Promise<Decision[]> {
    const taken = [...part, ...(await transformWaiting())];
    part = [];
    size = 0;
    began = performance.now();
    return taken;
  }

  function leaveOut(item: LeftOutRecord): Decision[] {
    const rows = rowsOf([item.id], stored, relatives);
    // The rows go when somebody finds them who may no longer see the record, although its new content could not be read.
    const mustGo =
      item.removes === 'record' || !rows.every((row) => isShownWithin(row, item.access));
    return [item, ...(mustGo ? deletes(rows) : [])];
  }

  /** Deletes records and everything below them, of which the record itself may not be stored. */
  function withBelow(ids: readonly string[]): Delete[] {
    const alone = ids.filter((id) => stored.get(id)?.origin !== null);
    const rows = [
      ...rowsOf(ids, stored, relatives),
      ...alone.flatMap((id) => below.rows.get(id) ?? []),
    ];
    return deletes(rows, below.rows);
  }

  /** Touches a record together with the entities that were made of it. */
  function touch(own: Touch): Touch[] {
    const made = relatives.made.get(own.stored.entity_id) ?? [];
    return [own, ...made.map((row) => touchWith(own, row))];
  }

  async function transformWaiting(): Promise<Decision[]> {
    const taken = waiting;
    waiting = [];
    if (taken.length === 0) return [];
    const { chain, signal } = deps;
    const generationOf = () => target.generation;
    return transform(taken, { relatives, chain, attempt: target.attempt, generationOf, signal });
  }
}

/** A record counts as damaged when one of the rows that were made of it is. */
function rowWith(
  row: StoredEntity | undefined,
  { made }: StoredRelatives,
): StoredEntity | undefined {
  const isDamaged = row && made.get(row.entity_id)?.some(({ is_damaged }) => is_damaged);
  return isDamaged ? { ...row, is_damaged: true } : row;
}

interface SortedStubs {
  readonly unchanged: readonly Touch[];
  readonly refused: readonly LeftOutRecord[];
  /** The source is asked for these. */
  readonly stale: readonly Stub[];
  readonly kept: readonly KeptRecord[];
}

/** Decides which records are read: from the source, from their rows, or not at all. */
function sortStubs(
  stubs: readonly Stub[],
  {
    rowOf,
    refusals,
  }: { readonly rowOf: (id: string) => StoredEntity | undefined } & Pick<StoredBatch, 'refusals'>,
  target: SyncAttempt,
): SortedStubs {
  const unchanged: Touch[] = [];
  const refused: LeftOutRecord[] = [];
  const stale: Stub[] = [];
  const kept: KeptRecord[] = [];
  for (const stub of stubs) {
    const row = rowOf(stub.id);
    const refusal = refusals.get(stub.id);
    if (refusal) refused.push(refusal);
    else if (isUnchangedStub(stub, row, target))
      unchanged.push(touchOf(row, { parent: null, ...stub, generation: target.generation }));
    else if (hasSameSource(stub, row, target)) kept.push({ stub, row });
    else stale.push(stub);
  }
  return { unchanged, refused, stale, kept };
}

/** The source need not be asked for a record whose row has it as the source would give it. */
interface KeptRecord {
  readonly stub: Stub;
  readonly row: StoredEntity;
}

/** Yields the records of the batch with their whole text, and what is left out. */
async function* wholeRecords(
  batch: ItemBatch,
  { stale, kept }: Pick<SortedStubs, 'stale' | 'kept'>,
  deps: PrepareDeps,
): AsyncGenerator<ExtractedUpsert | LeftOutRecord, void, void> {
  const unreadable: Stub[] = [];
  for (const some of chunked(kept, PARALLEL)) {
    const records = await deps.readStored(some.map(({ row }) => row.id));
    for (const { stub, row } of some) {
      const entity = records.get(row.id);
      if (entity) yield keptUpsert(entity, stub, row);
      else unreadable.push(stub);
    }
  }
  const asked = [...stale, ...unreadable];
  const versions = new Map(asked.map(({ id, version }) => [id, version]));
  for await (const item of extractAll(givenRecords(batch, asked, deps), deps)) {
    if (item.kind === 'upsert') yield item;
    else {
      const isRefused = item.stage === 'extract' && !item.mayPass;
      const refusedVersion = isRefused ? versions.get(item.id) : undefined;
      yield { ...item, ...(refusedVersion !== undefined && { refusedVersion }) };
    }
  }
}

const keptUpsert = (entity: Entity, stub: Stub, row: StoredEntity): ExtractedUpsert => ({
  kind: 'upsert',
  entity: withTimes(entity, timesOf(row)),
  version: stub.version,
  partition: stub.partition,
  ...(stub.parent !== undefined && { parent: stub.parent }),
  extractVersion: row.extract_version,
  contentHash: row.content_hash,
});

async function* givenRecords(batch: ItemBatch, stale: readonly Stub[], deps: PrepareDeps) {
  yield* batch.upserts;
  if (stale.length === 0) return;
  const parents = new Map(stale.map(({ id, parent }) => [id, parent]));
  for await (const item of deps.hydrate(stale)) {
    const parent = item.kind === 'upsert' ? parents.get(item.entity.id) : undefined;
    yield parent === undefined ? item : { ...item, parent };
  }
}

/** Extracts a few records at a time. */
async function* extractAll(
  items: AsyncIterable<Upsert | LeftOut>,
  deps: PrepareDeps,
): AsyncGenerator<ExtractedUpsert | LeftOutRecord, void, void> {
  let some: (Upsert | LeftOut)[] = [];
  /** Yields what was extracted, also when one of the files ends the sync. */
  async function* extractSome() {
    const taken = some;
    some = [];
    const extracting = taken.map(async (item) =>
      item.kind === 'upsert' ? extract(item, deps) : [inStage('pull')(item)],
    );
    const settled = await Promise.allSettled(extracting);
    for (const one of settled) if (one.status === 'fulfilled') yield* one.value;
    const broken = settled.find((one) => one.status === 'rejected');
    if (broken) throw broken.reason;
  }
  try {
    for await (const item of items) {
      some.push(item);
      if (some.length === PARALLEL) yield* extractSome();
    }
  } catch (error) {
    // The source need not give these records again.
    if (error instanceof SourceError) yield* extractSome();
    throw error;
  }
  yield* extractSome();
}

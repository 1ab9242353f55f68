/**
 * Turns the records of a batch into what is stored of them: hydrate ▶ extract ▶ compare ▶ transform ▶ chunk ▶ embed.
 * An error in one record is counted and listed, and does not affect the other records.
 */
import type { Extractor } from '../../documents/extract.ts';
import { embeddedText, split } from '../../documents/split.ts';
import type { Embedder } from '../../engines/ports.ts';
import { SourceError } from '../../errors.ts';
import type { Chunk } from '../../model/chunk.ts';
import type { Entity } from '../../model/entity.ts';
import { excessOf } from '../../model/entity-limits.ts';
import { sha256 } from '../../model/hash.ts';
import { indexTerms, TERMS_VERSION } from '../../model/terms.ts';
import { quantize, type Vector } from '../../model/vector.ts';
import { fail, type LeftOut, type Stub, skip, type Upsert } from '../../sources/define.ts';
import type { Chain } from '../../transformers/chain.ts';
import { must } from '../../util.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import type { ItemBatch } from './batches.ts';
import { type EntityChange, type Judge, judge, type Seen, type Stale, stands } from './compare.ts';
import { clean, entityHash } from './record.ts';
import type { StoredEntity } from './store.ts';
import { type KeptAsShown, rowsOf, type StoredRelatives, transform } from './transform.ts';

/** This many files are read at once. */
const PARALLEL = 8;

/** This is what a commit stores for some records. */
export interface Preparation {
  readonly changes: readonly EntityChange[];
  readonly seen: readonly Seen[];
  readonly leftOut: readonly LeftOutRecord[];
  readonly deletions: readonly StoredEntity[];
  readonly held: readonly KeptAsShown[];
}

export interface PrepareDeps {
  readonly extractor: Extractor;
  readonly hydrate: (stubs: readonly Stub[]) => AsyncIterable<Upsert | LeftOut>;
  readonly chain: Chain;
  readonly signal: AbortSignal;
}

/** A transformer gets at most this many records in one call. */
const TRANSFORMED_AT_ONCE = 100;

/**
 * Yields the batch in parts of about `characters` characters, at least one part. A stub may stand for a text of any
 * size, and so only a few texts are in memory at once.
 */
export async function* prepare(
  batch: ItemBatch,
  stored: ReadonlyMap<string, StoredEntity>,
  known: StoredRelatives,
  by: Judge,
  deps: PrepareDeps,
  characters: number,
): AsyncGenerator<Preparation, void, void> {
  let part = empty();
  let size = 0;
  let waiting: Stale[] = [];
  const stale: Stub[] = [];
  for (const item of batch.leftOut) leaveOut(inStage('pull')(item));
  for (const stub of batch.stubs) {
    const known = stored.get(stub.id);
    if (stands(stub, known, by)) see(seenStub(stub, known));
    else stale.push(stub);
  }
  for await (const item of extractAll(wholeRecords(batch, stale, deps), deps)) {
    if (item.kind !== 'upsert') leaveOut(item);
    else {
      const verdict = judge(item, entityHash(item.entity), stored.get(item.entity.id), by);
      if ('stale' in verdict) waiting.push(verdict.stale);
      else see(verdict.seen);
      size += item.entity.text.length;
    }
    if (size < characters && waiting.length < TRANSFORMED_AT_ONCE) continue;
    await settle();
    if (size < characters) continue;
    yield part;
    part = empty();
    size = 0;
  }
  await settle();
  yield part;

  function leaveOut(item: LeftOutRecord): void {
    part.leftOut.push(item);
    if (item.removes === 'record') part.deletions.push(...rowsOf([item.id], stored, known));
  }

  /** Notes a record as seen, together with the entities that were made of it. */
  function see(seen: Seen): void {
    part.seen.push(seen);
    const { partition } = seen;
    for (const made of known.made.get(seen.stored.entity_id) ?? [])
      part.seen.push(seenMade(made, partition));
  }

  async function settle(): Promise<void> {
    const stale = waiting;
    waiting = [];
    if (stale.length === 0) return;
    const made = await transform(
      stale,
      known,
      deps.chain,
      by.attempt,
      () => by.generation,
      deps.signal,
    );
    part.changes.push(...made.changes);
    part.deletions.push(...made.deletions);
    part.held.push(...made.held);
    part.leftOut.push(...made.failures);
  }
}

const empty = () => ({
  changes: [] as EntityChange[],
  seen: [] as Seen[],
  leftOut: [] as LeftOutRecord[],
  deletions: [] as StoredEntity[],
  held: [] as KeptAsShown[],
});

async function* wholeRecords(batch: ItemBatch, stale: readonly Stub[], deps: PrepareDeps) {
  yield* batch.upserts;
  if (stale.length > 0) yield* deps.hydrate(stale);
}

/** Extracts a few records at a time. */
async function* extractAll(
  items: AsyncIterable<Upsert | LeftOut>,
  deps: PrepareDeps,
): AsyncGenerator<Upsert | LeftOutRecord, void, void> {
  let some: (Upsert | LeftOut)[] = [];
  const extractSome = () =>
    Promise.all(
      some.map((item) =>
        item.kind === 'upsert' ? extract(item, deps.extractor, deps.signal) : inStage('pull')(item),
      ),
    );
  for await (const item of items) {
    some.push(item);
    if (some.length < PARALLEL) continue;
    yield* await extractSome();
    some = [];
  }
  yield* await extractSome();
}

const inStage =
  (stage: string) =>
  (item: LeftOut): LeftOutRecord => ({ ...item, stage });

const seenStub = (stub: Stub, stored: StoredEntity): Seen => ({
  stored,
  version: stub.version,
  partition: stub.partition,
  createdAt: stored.source_created_at,
  updatedAt: stored.source_updated_at,
});

const seenMade = (stored: StoredEntity, partition: string): Seen => ({
  stored,
  version: stored.version,
  partition,
  createdAt: stored.source_created_at,
  updatedAt: stored.source_updated_at,
});

async function extract(
  upsert: Upsert,
  extractor: Extractor,
  signal: AbortSignal,
): Promise<Upsert | LeftOutRecord> {
  const { file, ...entity } = upsert.entity;
  const excess = excessOf(entity);
  if (excess) {
    const { message, hint } = excess;
    return inStage('pull')(
      fail(entity.id, entity.type, new SourceError('skip', message, { hint })),
    );
  }
  if (!file) return { ...upsert, entity: clean(upsert.entity) };
  try {
    const extracted = await extractor.extract(file, signal);
    if (extracted.kind === 'skip')
      return inStage('extract')(skip(entity.id, entity.type, extracted));
    const { text, pages } = extracted;
    return { ...upsert, entity: clean({ ...entity, text, pages }) };
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip')
      return inStage('extract')(fail(entity.id, entity.type, error));
    throw error;
  }
}

/** A vector depends on the text and on the model, so different models share no vectors. */
const textHash = (model: string, text: string): string =>
  sha256(`${model} ${TERMS_VERSION}\n${text}`);

/** Cuts an entity into pieces, each with the text that is embedded for it. */
export const cut = (entity: Entity, model: string) =>
  split(entity).map((bare, position) => {
    const heading = [entity.context ?? [], bare.heading ?? []].flat().join(' > ');
    const piece = entity.context === undefined ? bare : { ...bare, heading };
    const text = embeddedText(entity.name, piece);
    return { piece, position, text, textHash: textHash(model, text) };
  });

/**
 * Cuts entities, whose rows have these ids, and gives each chunk its vector. Equal texts are embedded once, and texts
 * whose hash is `known` are not embedded at all.
 */
export async function toChunks<Write extends { readonly entity: Entity; readonly row: string }>(
  writes: readonly Write[],
  known: (textHashes: readonly string[]) => Promise<ReadonlyMap<string, Vector>>,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<(Write & { readonly chunks: readonly Chunk[] })[]> {
  const all = writes.map((write) => ({ write, pieces: cut(write.entity, embedder.model) }));
  const texts = new Map(all.flatMap(({ pieces }) => pieces.map((p) => [p.textHash, p.text])));
  const vectors = new Map<string, Vector>(await known([...texts.keys()]));
  const missing = [...texts].filter(([hash]) => !vectors.has(hash));
  const made = await embedder.embed(
    missing.map(([, text]) => text),
    'document',
    signal,
  );
  missing.forEach(([hash], i) => {
    vectors.set(hash, quantize(must(made[i])));
  });

  return all.map(({ write, pieces }) => ({
    ...write,
    chunks: pieces.map(
      ({ piece, position, textHash }): Chunk => ({
        ...piece,
        entity: write.row,
        index: position,
        textHash,
        terms: indexTerms({ name: write.entity.name, ...piece }),
        vector: must(vectors.get(textHash)),
      }),
    ),
  }));
}

/**
 * From the records of a batch to what is to be stored of them: hydrate ▶ extract ▶ compare ▶ chunk ▶
 * embed. What one record breaks is counted and listed, and costs no other record anything. The user's
 * transformers will run between extract and compare's outcome and the chunker: a changed entity is
 * handed on whole, with its text.
 */
import pLimit from 'p-limit';
import type { Db } from '../db/schema.ts';
import type { Extractor } from '../documents/extract.ts';
import { embeddedText, split } from '../documents/split.ts';
import type { Embedder, Scope, SearchIndex } from '../engines/ports.ts';
import { SourceError } from '../errors.ts';
import type { Chunk } from '../model/chunk.ts';
import { sha256 } from '../model/hash.ts';
import { indexTerms } from '../model/terms.ts';
import { quantize, type Vector } from '../model/vector.ts';
import { fail, type LeftOut, type Stub, skip, type Upsert } from '../sources/define.ts';
import { must } from '../util.ts';
import type { Batch } from './batches.ts';
import { type Prepared, rowId } from './commit.ts';
import { type Change, type Judge, judge, type Seen, stands } from './compare.ts';
import { clean, entityHash } from './record.ts';
import type { Stored } from './store.ts';

/** Files read at once. */
const PARALLEL = 8;

type Failure = LeftOut & { readonly stage: string };

export interface Preparation {
  readonly changes: readonly Change[];
  readonly seen: readonly Seen[];
  readonly leftOut: readonly Failure[];
}

export interface PrepareDeps {
  readonly extractor: Extractor;
  readonly hydrate: (stubs: readonly Stub[]) => AsyncIterable<Upsert | LeftOut>;
  readonly signal: AbortSignal;
}

export async function prepare(
  batch: Batch,
  stored: ReadonlyMap<string, Stored>,
  by: Judge,
  deps: PrepareDeps,
): Promise<Preparation> {
  const changes: Change[] = [];
  const seen: Seen[] = [];
  const leftOut: Failure[] = batch.leftOut.map((one) => ({ ...one, stage: 'pull' }));

  const stale: Stub[] = [];
  for (const stub of batch.stubs) {
    const known = stored.get(stub.id);
    if (stands(stub, known, by)) seen.push(seenStub(stub, known));
    else stale.push(stub);
  }
  const upserts: Upsert[] = [...batch.upserts];
  if (stale.length > 0) {
    for await (const item of deps.hydrate(stale)) {
      if (item.kind === 'upsert') upserts.push(item);
      else leftOut.push({ ...item, stage: 'pull' });
    }
  }

  const limit = pLimit(PARALLEL);
  const extracted = await Promise.all(
    upserts.map((upsert) => limit(() => extract(upsert, deps.extractor, deps.signal))),
  );
  for (const item of extracted) {
    if (item.kind !== 'upsert') leftOut.push({ ...item, stage: 'extract' });
    else {
      const known = stored.get(item.entity.id);
      const verdict = judge(item, entityHash(item.entity), known, by);
      if ('change' in verdict) changes.push(verdict.change);
      else seen.push(verdict.seen);
    }
  }
  return { changes, seen, leftOut };
}

const seenStub = (stub: Stub, stored: Stored): Seen => ({
  stored,
  version: stub.version,
  partition: stub.partition,
  createdAt: stored.source_created_at,
  updatedAt: stored.source_updated_at,
});

async function extract(
  upsert: Upsert,
  extractor: Extractor,
  signal: AbortSignal,
): Promise<Upsert | LeftOut> {
  const { file, ...entity } = upsert.entity;
  if (!file) return { ...upsert, entity: clean(upsert.entity) };
  try {
    const extracted = await extractor.extract(file, signal);
    if (extracted.kind === 'skip') return skip(entity.id, entity.type, extracted.reason);
    const { text, pages } = extracted;
    return { ...upsert, entity: clean({ ...entity, text, pages }) };
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip')
      return fail(entity.id, entity.type, error);
    throw error;
  }
}

/** Cuts the changed entities and gives each chunk its vector; equal texts are embedded once. */
export async function toChunks(
  db: Db,
  changes: readonly Change[],
  index: SearchIndex,
  scope: Scope,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<Prepared[]> {
  const cut = changes.map((change) => {
    const { entity } = change;
    const row = rowId(change);
    const pieces = split(entity).map((piece, position) => {
      const text = embeddedText(entity.name, piece);
      return { piece, position, text, textHash: sha256(text) };
    });
    return { change, row, pieces };
  });
  const texts = new Map(cut.flatMap(({ pieces }) => pieces.map((p) => [p.textHash, p.text])));
  const vectors = new Map<string, Vector>(await index.vectors(db, scope, [...texts.keys()]));
  const missing = [...texts].filter(([hash]) => !vectors.has(hash));
  const made = await embedder.embed(
    missing.map(([, text]) => text),
    'document',
    signal,
  );
  missing.forEach(([hash], i) => {
    vectors.set(hash, quantize(must(made[i])));
  });

  return cut.map(({ change, row, pieces }) => ({
    ...change,
    row,
    chunks: pieces.map(
      ({ piece, position, textHash }): Chunk => ({
        ...piece,
        entity: row,
        index: position,
        textHash,
        terms: indexTerms({ name: change.entity.name, ...piece }),
        vector: must(vectors.get(textHash)),
      }),
    ),
  }));
}

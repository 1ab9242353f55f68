/**
 * Every implementation of the search index has these rows, on either database.
 *
 * The number of a chunk is indexes.number × 2^32 + a counter of the collection. A write first updates, and so
 * locks, the collection's row of `indexes`; every other writer to the collection waits there until the commit. So
 * within a collection, chunk numbers and `gone.seq` are in the order of commits: a reader that has seen everything
 * up to a number asks for greater ones and misses nothing. `version` tells it whether to ask at all. The chunks of
 * a collection are one range of numbers, whatever connection they belong to.
 */
import { sql } from 'kysely';
import { databaseTime } from '../../db/clock.ts';
import { together } from '../../db/pipelined.ts';
import type { Db, Tx } from '../../db/schema.ts';
import type { Chunk } from '../../model/chunk.ts';
import { storableText } from '../../model/storable.ts';
import { termNumbers } from '../../model/terms.ts';
import type { Vector } from '../../model/vector.ts';
import { chunked } from '../../util.ts';
import type { ConnectionScope } from '../ports.ts';
import { measureCosines } from './cosines.ts';
import type { Dialect } from './dialect.ts';
import { addToTotals, advance } from './index-rows.ts';
import { joined } from './joined.ts';
import { endNumber, firstNumber } from './numbers.ts';

/** A statement writes this many chunks, because one entity may have thousands. */
const BATCH = 500;
/**
 * A row of `gone` records that a chunk was removed. It is kept for this time, in milliseconds. A reader whose copy of a
 * collection was last up to date more than half of this time ago loads the collection again.
 */
export const GONE_KEPT_MS = 3_600_000;
const GONE_TRIMMED = 1000;

export interface Written {
  /** This is the number of the collection's index. */
  readonly index: number;
  /** Chunks with these numbers no longer exist. */
  readonly removed: readonly number[];
  /** The first new chunk has this number; the others follow in order. */
  readonly first: number;
}

interface RowOptions {
  readonly dialect: Dialect;
  readonly dimensions: number;
}

interface AddedChunks {
  readonly scope: ConnectionScope;
  readonly first: number;
  readonly chunks: readonly Chunk[];
}

export async function writeRows(
  tx: Tx,
  options: RowOptions,
  scope: ConnectionScope,
  entities: readonly string[],
  chunks: readonly Chunk[],
): Promise<Written> {
  const [{ number, next_chunk }, removed, now] = await together([
    advance(tx, scope.collectionId, chunks.length),
    removeRows(tx, options.dialect, { collectionId: scope.collectionId, entities }),
    databaseTime(tx, options.dialect.kind),
  ]);
  const first = firstNumber(number) + next_chunk - chunks.length;
  const numbers = removed.map(({ n }) => n);
  const terms = chunks.reduce((sum, chunk) => sum + chunk.terms.length, 0);
  const [, , totals] = await together([
    removeBodies(tx, options.dialect, { collectionId: scope.collectionId, numbers, now }),
    insertAll(tx, options, { scope, first, chunks }),
    addToTotals(tx, scope.collectionId, {
      chunks: chunks.length - removed.length,
      terms: terms - removed.reduce((sum, { length }) => sum + length, 0),
    }),
  ]);
  if (chunks.length > 0) await measureCosines(tx, options.dialect, totals);
  return { index: number, removed: numbers, first };
}

async function insertAll(tx: Tx, options: RowOptions, added: AddedChunks): Promise<void> {
  let { first } = added;
  for (const chunks of chunked(added.chunks, BATCH)) {
    await insertRows(tx, options, { ...added, first, chunks });
    first += chunks.length;
  }
}

async function removeRows(
  tx: Tx,
  dialect: Dialect,
  {
    collectionId,
    entities,
  }: { readonly collectionId: string; readonly entities: readonly string[] },
): Promise<{ n: number; length: number }[]> {
  if (entities.length === 0) return [];
  const { rows } = await sql<{ n: number; length: number }>`
    delete from chunks where collection_id = ${collectionId} and ${dialect.hasOneOf('entity', entities)}
    returning n, length`.execute(tx);
  return rows;
}

interface RemovedChunks {
  readonly collectionId: string;
  readonly numbers: readonly number[];
  /** This is the time of the database. In a statement that deletes rows, Citus does not allow a function for it. */
  readonly now: Date;
}

async function removeBodies(
  tx: Tx,
  dialect: Dialect,
  { collectionId, numbers, now }: RemovedChunks,
): Promise<void> {
  if (numbers.length === 0) return;
  const removed = dialect.rowsOf(
    numbers.map((n) => ({ n })),
    { n: 'bigint' },
  );
  await together([
    sql`delete from chunk_bodies where collection_id = ${collectionId}
      and n in ${dialect.numbers(numbers)}`.execute(tx),
    sql`insert into gone (collection_id, n, at)
      select ${collectionId}, n, cast(${now.getTime()} as bigint) from ${removed}`.execute(tx),
    sql`delete from gone where collection_id = ${collectionId} and seq in (
      select seq from gone
      where collection_id = ${collectionId} and at < ${now.getTime() - GONE_KEPT_MS}
      order by at limit ${sql.lit(GONE_TRIMMED)} ${dialect.skipLocked})`.execute(tx),
  ]);
}

/**
 * Removes the rows of the chunks with these numbers, also where a chunk has only some of its rows. Numbers outside the
 * range of this collection are ignored: here they are chunks of other collections, although a damaged table that
 * belongs to this collection alone may have them, too. Returns the number of the index.
 */
export async function discardRows(
  tx: Tx,
  dialect: Dialect,
  collectionId: string,
  numbers: readonly number[],
): Promise<number> {
  const { number } = await advance(tx, collectionId, 0);
  const own = numbers.filter((n) => n >= firstNumber(number) && n < endNumber(number));
  const { rows } = await sql<{ length: number }>`
    delete from chunks where collection_id = ${collectionId} and n in ${dialect.numbers(own)}
    returning length`.execute(tx);
  const now = await databaseTime(tx, dialect.kind);
  await removeBodies(tx, dialect, { collectionId, numbers: own, now });
  const terms = rows.reduce((sum, row) => sum + row.length, 0);
  await addToTotals(tx, collectionId, { chunks: -rows.length, terms: -terms });
  return number;
}

async function insertRows(
  tx: Tx,
  { dialect, dimensions }: RowOptions,
  { scope: { collectionId, connectionId }, first, chunks }: AddedChunks,
): Promise<void> {
  for (const { vector } of chunks)
    if (vector.values.length !== dimensions)
      throw new Error(`a vector has ${vector.values.length} dimensions instead of ${dimensions}`);
  const vectors = joined(chunks.map(({ vector }) => vector.values));
  const terms = joined(chunks.map((chunk) => termNumbers(chunk.terms)));
  const rows = chunks.map((chunk, i) => ({
    n: first + i,
    entity: chunk.entity,
    position: chunk.index,
    heading: chunk.heading === null ? null : storableText(chunk.heading),
    page: chunk.page,
    place: chunk.place,
    line: chunk.line,
    text_hash: chunk.textHash,
    length: chunk.terms.length,
  }));
  const bodies = chunks.map((chunk, i) => ({
    n: first + i,
    text: storableText(chunk.text),
    scale: chunk.vector.scale,
    is_titled: chunk.isTitled,
    vector_at: vectors.parts[i]!.at,
    vector_length: vectors.parts[i]!.length,
    terms_at: terms.parts[i]!.at,
    terms_length: terms.parts[i]!.length,
  }));
  await together([
    sql`insert into chunks (n, collection_id, connection_id, entity, position, heading, page, place, line, text_hash, length)
      select n, ${collectionId}, ${connectionId}, entity, position, heading, page, place, line, text_hash, length
      from ${dialect.rowsOf(rows, CHUNK_COLUMNS)}`.execute(tx),
    sql`insert into chunk_bodies (n, collection_id, text, scale, is_titled, vector, terms)
      select n, ${collectionId}, text, scale, is_titled, ${dialect.slice(vectors.bytes, 'vector_at', 'vector_length')},
        ${dialect.slice(terms.bytes, 'terms_at', 'terms_length')}
      from ${dialect.rowsOf(bodies, BODY_COLUMNS)}`.execute(tx),
  ]);
}

const CHUNK_COLUMNS = {
  n: 'bigint',
  entity: 'text',
  position: 'integer',
  heading: 'text',
  page: 'integer',
  place: 'text',
  line: 'integer',
  text_hash: 'text',
  length: 'integer',
} as const;
const BODY_COLUMNS = {
  n: 'bigint',
  text: 'text',
  scale: 'double precision',
  is_titled: 'boolean',
  vector_at: 'integer',
  vector_length: 'integer',
  terms_at: 'integer',
  terms_length: 'integer',
} as const;

/** Returns one vector for each of the texts that the connection already has, by the hash of the text. */
export async function storedVectors(
  db: Db,
  dialect: Dialect,
  scope: ConnectionScope,
  textHashes: readonly string[],
): Promise<Map<string, Vector>> {
  if (textHashes.length === 0) return new Map();
  const { rows } = await sql<{ text_hash: string; scale: number; vector: Uint8Array }>`
    select c.text_hash, b.scale, b.vector
    from (select text_hash, min(n) as n from chunks
          where collection_id = ${scope.collectionId}
            and connection_id = ${scope.connectionId} and text_hash in ${dialect.texts(textHashes)}
          group by text_hash) c
    join chunk_bodies b on b.n = c.n where b.collection_id = ${scope.collectionId}`.execute(db);
  return new Map(rows.map((row) => [row.text_hash, toVector(row)]));
}

/** Copies the bytes of `termNumbers`, because those of a database may begin anywhere. */
export const numbersIn = (terms: Uint8Array): Uint32Array =>
  new Uint32Array(Uint8Array.from(terms).buffer);

interface VectorColumns {
  readonly scale: number;
  readonly vector: Uint8Array;
}

/** The vector is valid as long as the memory of the row is. */
export const viewOf = ({ scale, vector }: VectorColumns): Vector => ({
  scale: Math.fround(scale),
  values: new Int8Array(vector.buffer, vector.byteOffset, vector.length),
});

export function toVector(row: VectorColumns): Vector {
  const { scale, values } = viewOf(row);
  return { scale, values: Int8Array.from(values) };
}

/**
 * Checks a collection. First it compares records, chunks, words and vectors in the database with each other, within one
 * snapshot. Then it compares the copy of the collection in the memory of this thread with the database. It writes
 * nothing to the database, and pauses after each page, so searches and writers go on.
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Schema, StoredProblem } from '../db/schema.ts';
import { inSnapshot } from '../db/snapshot.ts';
import type {
  ConnectionScope,
  Embedder,
  IndexFinding,
  SearchIndex,
  Totals,
} from '../engines/ports.ts';
import { fieldsOf, storedFields } from '../syncs/pipeline/field-store.ts';
import { type FieldCount, negated, sumOf } from '../syncs/pipeline/fields.ts';
import { isReadable, storedRecords } from '../syncs/pipeline/stored-records.ts';
import type { Caused } from '../telemetry/trace.ts';
import { withBrokenChunks } from './broken-chunks.ts';
import { createFindings, type Findings, type ProblemKind } from './problems.ts';
import * as store from './store.ts';

/** A repair gets the ids of at most this many damaged entities. When there are more, it rewrites all entities. */
const MAX_SUSPECTS = 10_000;

/** The check pauses after records of about this many compressed bytes, so that its thread can do other work. */
const BYTES_PER_TURN = 64 * 1024;

export interface ExamineDeps {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly kind: DatabaseKind;
  readonly embedder: Pick<Embedder, 'model'>;
}

export interface Examination {
  readonly checked: {
    /** Hidden entities are checked, too, but not counted. */
    readonly entities: number;
    readonly chunks: number;
    readonly words: number;
    readonly vectors: number;
    readonly in_memory: number;
  };
  /**
   * Deleted connections whose rows have not been removed yet, and their entities, are counted here. They are not
   * faults.
   */
  readonly pending: { readonly connections: number; readonly entities: number };
  readonly problems: readonly StoredProblem[];
  /** These are the row ids of the entities with findings about index or memory; null means more than MAX_SUSPECTS. */
  readonly suspects: readonly string[] | null;
}

export interface ExamineRequest extends Caused {
  readonly collectionId: string;
  /** If true, the thread drops its copy of the collection in memory when that copy is wrong. */
  readonly repair: boolean;
}

/** A check of the index of a collection calls `note` with each finding. */
export interface IndexCheck {
  readonly collectionId: string;
  readonly note: (finding: IndexFinding) => void;
  readonly signal: AbortSignal;
}

/** A check of the entities of a connection adds the problems to `found`. */
export interface ConnectionCheck {
  readonly scope: ConnectionScope;
  readonly found: Findings;
  readonly signal: AbortSignal;
}

/** Examines a collection, in this thread or in another one. Throws the reason of the signal when it aborts. */
export type Examine = (request: ExamineRequest, signal: AbortSignal) => Promise<Examination>;

export const createExamine =
  ({ db, kind, index, embedder }: ExamineDeps): Examine =>
  async ({ collectionId, repair }, signal) => {
    const found = createFindings();
    const suspects = new Set<string>();
    const note = (finding: IndexFinding) => {
      found.add(finding.kind, nameOf(finding));
      if (finding.entity !== null) suspects.add(finding.entity);
    };
    // All rows are read in one snapshot. Otherwise a change during the examination could look like damage.
    const inRows = await inSnapshot(db, async (tx) => {
      const rows = await examineIndex(tx, index, { collectionId, note, signal });
      if (differ(rows.stored, rows.totals)) found.add('wrong_totals', null);
      let entities = 0;
      for (const connectionId of await store.livingConnections(tx, collectionId)) {
        const check = { scope: { collectionId, connectionId }, found, signal };
        const counted = await examineEntities({ db: tx, kind }, check);
        const wrongTypes = new Set(
          [...counted.countCorrections, ...counted.fieldCorrections].map(({ type }) => type),
        );
        for (const type of wrongTypes) found.add('wrong_count', `${connectionId} ${type}`);
        entities += counted.entities;
        const alreadyReported = new Set([...suspects, ...counted.faulty]);
        await examineRecords(tx, embedder.model, { ...check, alreadyReported });
      }
      return { ...rows, entities, pending: await store.waitingForCleanup(tx, collectionId) };
    });
    // The check of the memory first loads the newest vectors, and that fails when a vector has a wrong length. So the
    // check does not run when a stored vector is wrong.
    const inMemory = found.has('wrong_vector')
      ? 0
      : await examineMemory({ db, index }, { collectionId, note, signal });
    if (repair && found.has('wrong_memory')) await index.doctor.forget(db, collectionId);
    return {
      checked: {
        entities: inRows.entities,
        chunks: inRows.totals.chunks,
        words: inRows.words,
        vectors: inRows.vectors,
        in_memory: inMemory,
      },
      pending: inRows.pending,
      problems: found.list(),
      suspects: suspects.size > MAX_SUSPECTS ? null : [...suspects],
    };
  };

const nameOf = ({ entity, n }: IndexFinding) => entity ?? `chunk ${n}`;

const differ = (stored: Totals | undefined, counted: Totals): boolean =>
  stored?.chunks !== counted.chunks || stored.terms !== counted.terms;

/** Reads page after page, and lets other work run between two pages. */
async function eachPage<Place>(
  signal: AbortSignal,
  read: (after: Place | null) => Promise<Place | null>,
): Promise<void> {
  for (let after: Place | null = null; ; await giveWay()) {
    signal.throwIfAborted();
    after = await read(after);
    if (after === null) return;
  }
}

/** Examines rows, words and vectors, all within the caller's snapshot. */
export async function examineIndex(
  tx: Db,
  index: SearchIndex,
  { collectionId, note, signal }: IndexCheck,
) {
  const sum = { chunks: 0, terms: 0, words: 0, vectors: 0 };
  await eachPage<number>(signal, async (after) => {
    const page = await index.doctor.examine(tx, collectionId, after);
    sum.chunks += page.totals.chunks;
    sum.terms += page.totals.terms;
    sum.words += page.words;
    sum.vectors += page.vectors;
    page.findings.forEach(note);
    return page.next;
  });
  const { words, vectors, ...totals } = sum;
  return { totals, words, vectors, stored: await store.storedTotals(tx, collectionId) };
}

async function examineMemory(
  { db, index }: Pick<ExamineDeps, 'db' | 'index'>,
  { collectionId, note, signal }: IndexCheck,
): Promise<number> {
  let compared = 0;
  await eachPage<number>(signal, async (after) => {
    const page = await index.doctor.examineMemory(db, collectionId, after);
    compared += page.compared;
    page.findings.forEach(note);
    return page.next;
  });
  return compared;
}

/** Compares entities with their chunks and with the counters of the connection. */
export async function examineEntities(
  { db: tx, kind }: { readonly db: Db; readonly kind: DatabaseKind },
  { scope, found, signal }: ConnectionCheck,
) {
  const { collectionId, connectionId } = scope;
  const counts = new Map<string, { count: number; listed: number }>();
  const faulty = new Set<string>();
  let fields: FieldCount[] = [];
  let entities = 0;
  await eachPage<string>(signal, async (after) => {
    const { rows, next } = await store.entityPage(tx, scope, after);
    const ids = rows.map(({ id }) => id);
    fields = sumOf([...fields, ...(await fieldsOf(tx, { kind, collectionId }, ids))]);
    for (const row of rows) {
      if (!row.is_hidden) {
        const counted = counts.get(row.entity_type) ?? { count: 0, listed: 0 };
        counted.count++;
        if (row.is_listed) counted.listed++;
        counts.set(row.entity_type, counted);
        entities++;
      }
      const faults = [row.is_damaged ? ('unreadable_record' as const) : undefined, faultOf(row)];
      for (const fault of faults) {
        if (!fault) continue;
        found.add(fault, row.id);
        faulty.add(row.id);
      }
    }
    return next;
  });
  return {
    entities,
    faulty,
    /** The stored counts of entities must change by these amounts. */
    countCorrections: countCorrections(await store.storedCounts(tx, connectionId), counts),
    /** The stored counts of fields must change by these amounts. */
    fieldCorrections: sumOf([...fields, ...(await storedFields(tx, connectionId)).map(negated)]),
  };
}

/** Finds what is wrong with the chunks of an entity. `last` is the position of the last chunk. */
function faultOf({
  is_searchable: isSearchable,
  is_hidden: isHidden,
  chunks,
  last,
}: {
  readonly is_searchable: boolean;
  readonly is_hidden: boolean;
  readonly chunks: number;
  readonly last: number | null;
}): ProblemKind | undefined {
  if (isHidden || !isSearchable) return chunks > 0 ? 'unwanted_chunks' : undefined;
  if (last === null) return 'entity_without_chunks';
  return last + 1 === chunks ? undefined : 'missing_chunk';
}

/** Returns the amounts by which the stored counters must change, without zeros. */
function countCorrections(
  stored: readonly { type: string; count: number; listed: number }[],
  counted: ReadonlyMap<string, { count: number; listed: number }>,
) {
  const corrections = new Map([...counted].map(([type, counts]) => [type, { type, ...counts }]));
  for (const { type, count, listed } of stored) {
    const right = corrections.get(type) ?? { count: 0, listed: 0 };
    corrections.set(type, { type, count: right.count - count, listed: right.listed - listed });
  }
  return [...corrections.values()].filter(({ count, listed }) => count !== 0 || listed !== 0);
}

/**
 * Splits the text of each stored record into chunks again and compares them with the stored chunks, because tables that
 * agree with each other may still differ from the record. A record that cannot be read is reported as `broken_record`.
 * Entities in `alreadyReported` are not reported again.
 */
async function examineRecords(
  tx: Db,
  model: string,
  {
    scope,
    found,
    alreadyReported,
    signal,
  }: ConnectionCheck & { readonly alreadyReported: ReadonlySet<string> },
): Promise<void> {
  for await (const records of storedRecords(tx, {
    scope,
    form: 'shown',
    after: null,
    bytes: BYTES_PER_TURN,
  })) {
    signal.throwIfAborted();
    for (const record of records)
      if (!isReadable(record) && !alreadyReported.has(record.stored.id))
        found.add('broken_record', record.stored.id);
    const damaged = await withBrokenChunks(tx, records.filter(isReadable), {
      model,
      ...scope,
      suspects: NO_SUSPECTS,
    });
    for (const { stored } of damaged)
      if (!alreadyReported.has(stored.id)) found.add('wrong_chunks', stored.id);
    await giveWay();
  }
}

const NO_SUSPECTS: ReadonlySet<string> = new Set();

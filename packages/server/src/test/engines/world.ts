/** Makes collections, connections and entities with chunks, for tests of the search index. */
import type { Schema, Tx } from '../../db/schema.ts';
import type { SearchIndex, Sight } from '../../engines/ports.ts';
import { type Chunk, chunkId } from '../../model/chunk.ts';
import { everything, type Filter } from '../../model/filter.ts';
import { sha256 } from '../../model/hash.ts';
import { hasTitle, indexTerms } from '../../model/title.ts';
import { quantize } from '../../model/vector.ts';
import { newId } from '../../util.ts';
import { entityRow, insertConnection, insertOrganization } from '../api/rows.ts';
import type { TestDatabase } from '../databases.ts';
import { asking } from './asking.ts';

/** This is not a multiple of BLOCK (engines/kernel.ts), so that the padding of vectors is tested too. */
export const DIMENSIONS = 24;

export interface Doc {
  readonly id: string;
  /** Each text becomes one chunk. */
  readonly texts: readonly string[];
  readonly name?: string;
  readonly type?: string;
  readonly viewers?: readonly string[] | null;
  readonly isPublic?: boolean;
  readonly createdAt?: number | null;
  readonly updatedAt?: number | null;
  readonly breadcrumbs?: Schema['entities']['breadcrumbs']['__select__'];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly syncId?: string;
  readonly syncJobId?: string;
}

export interface Connection {
  readonly collectionId: string;
  readonly connectionId: string;
}

/** The asker may see the whole collection. */
export const WHOLE: Sight = { live: [], principals: null };

export interface Ask {
  readonly filter?: Filter;
  readonly live?: readonly string[];
  readonly principals?: readonly string[] | null;
  readonly depth?: number;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld({ db }: TestDatabase, index: SearchIndex) {
  const organizationId = await insertOrganization(db);

  /** Maps connections and ids in the source to the row ids of entities. */
  const rowIds = new Map<string, string>();
  const rowId = (connection: Connection, id: string): string => {
    const key = JSON.stringify([connection.connectionId, id]);
    const known = rowIds.get(key) ?? newId();
    rowIds.set(key, known);
    return known;
  };

  const saveIn = async (tx: Tx, to: Connection, docs: readonly Doc[]): Promise<void> => {
    for (const doc of docs) {
      const row = toRow(organizationId, to, { ...doc, row: rowId(to, doc.id) });
      await tx.deleteFrom('entities').where('id', '=', row.id).execute();
      await tx.insertInto('entities').values(row).execute();
    }
    await index.write(
      tx,
      to,
      docs.map((doc) => rowId(to, doc.id)),
      docs.flatMap((doc) => chunksOf(rowId(to, doc.id), doc)),
    );
  };

  const query = ({ filter, live, principals, depth }: Ask, connections: readonly string[]) => ({
    filter: filter ?? everything,
    live: live ?? connections,
    principals: principals ?? null,
    depth: depth ?? 200,
  });
  const connectionsOf = async (collectionId: string) => {
    const rows = await db
      .selectFrom('connections')
      .select('id')
      .where('collection_id', '=', collectionId)
      .execute();
    return rows.map((row) => row.id);
  };

  return {
    db,
    index,
    ask: asking(index, db),
    saveIn,
    rowId,

    async collection(): Promise<string> {
      const collectionId = newId();
      await db.transaction().execute((tx) => index.create(tx, collectionId));
      return collectionId;
    },

    async connection(collectionId: string, shortName = 'files'): Promise<Connection> {
      const owner = { id: collectionId, organization_id: organizationId };
      const connectionId = await insertConnection(db, owner, { short_name: shortName });
      return { collectionId, connectionId };
    },

    save: (to: Connection, docs: readonly Doc[]) =>
      db.transaction().execute((tx) => saveIn(tx, to, docs)),

    async remove(from: Connection, ids: readonly string[]): Promise<void> {
      const rows = ids.map((id) => rowId(from, id));
      await db.transaction().execute(async (tx) => {
        await index.write(tx, from, rows, []);
        await tx.deleteFrom('entities').where('id', 'in', rows).execute();
      });
    },

    /** Returns ids of chunks, best first. `by` is the index to ask, which may be another one over the same database. */
    async words(collectionId: string, text: string, ask: Ask = {}, by = index): Promise<string[]> {
      const terms = indexTerms({ name: '', heading: null, text });
      const rest = query(ask, await connectionsOf(collectionId));
      return named(await asking(by, db).candidates(collectionId, { arm: { terms }, ...rest }));
    },
    async nearest(
      collectionId: string,
      text: string,
      ask: Ask = {},
      by = index,
    ): Promise<string[]> {
      const rest = query(ask, await connectionsOf(collectionId));
      return named(
        await asking(by, db).candidates(collectionId, { arm: { vector: embed(text) }, ...rest }),
      );
    },
  };

  async function named(numbers: readonly number[]): Promise<string[]> {
    if (numbers.length === 0) return [];
    const rows = await db
      .selectFrom('chunks as c')
      .innerJoin('entities as e', 'e.id', 'c.entity')
      .select(['c.n', 'e.entity_id', 'c.position'])
      .where('c.n', 'in', [...numbers])
      .execute();
    const ids = new Map(rows.map((row) => [row.n, chunkId(row.entity_id, row.position)]));
    return numbers.map((n) => ids.get(n) ?? `a chunk ${n} that does not exist`);
  }
}

export function chunksOf(entity: string, doc: Doc): Chunk[] {
  return doc.texts.map((text, index) => ({
    entity,
    index,
    text,
    heading: null,
    page: null,
    place: null,
    line: 1,
    textHash: sha256(text),
    isTitled: hasTitle({ name: doc.name ?? '', text }),
    terms: indexTerms({ name: doc.name ?? '', heading: null, text }),
    vector: quantize(embed(text)),
  }));
}

/** Returns a unit vector. Texts with common words share a part of it. */
export function embed(text: string): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  for (const term of indexTerms({ name: '', heading: null, text })) {
    const digest = Buffer.from(sha256(term), 'hex');
    for (let i = 0; i < DIMENSIONS; i++) sum[i]! += digest[i]! - 127.5;
  }
  const length = Math.hypot(...sum);
  return length === 0 ? sum : sum.map((x) => x / length);
}

const toRow = (
  organization_id: string,
  { collectionId, connectionId }: Connection,
  doc: Doc & { readonly row: string },
) =>
  entityRow(
    { organization_id, collection_id: collectionId, connection_id: connectionId },
    {
      id: doc.row,
      entity_id: doc.id,
      entity_type: doc.type ?? 'Document',
      definition_id: null,
      sync_id: doc.syncId ?? 'sync',
      sync_job_id: doc.syncJobId ?? 'job',
      name: doc.name ?? '',
      breadcrumbs: JSON.stringify(doc.breadcrumbs ?? []),
      source_created_at: doc.createdAt ?? null,
      source_updated_at: doc.updatedAt ?? null,
      viewers: doc.viewers ? JSON.stringify(doc.viewers) : null,
      is_public: doc.isPublic ?? false,
      metadata: JSON.stringify(doc.metadata ?? {}),
    },
  );

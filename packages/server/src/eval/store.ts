/** These queries read an existing collection for an evaluation. */
import type { Db } from '../db/schema.ts';
import type { OwnWeights } from '../model/own-weights.ts';
import type { SearchedCollection } from '../search/weights-store.ts';
import type { JudgedDocument } from './judged.ts';

/** Returns the collections of this name, since each organization may have one. */
export async function collectionsNamed(db: Db, readableId: string): Promise<SearchedCollection[]> {
  const rows = await db
    .selectFrom('collections')
    .select(['id', 'organization_id'])
    .where('readable_id', '=', readableId)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map((row) => ({ collectionId: row.id, organizationId: row.organization_id }));
}

/** Returns the name of the embedder that has made the vectors of the collection. */
export async function embedderOf(db: Db, place: SearchedCollection): Promise<string> {
  const row = await db
    .selectFrom('collections')
    .select('embedding_model_name')
    .where('id', '=', place.collectionId)
    .executeTakeFirstOrThrow();
  return row.embedding_model_name;
}

/** Stores the collection's own weights, or removes them (null). Throws an Error when the collection is gone. */
export async function setOwnWeights(
  db: Db,
  { organizationId, collectionId }: SearchedCollection,
  own: OwnWeights | null,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('collections')
    .set({ rerank_weights: own && JSON.stringify(own) })
    .where('id', '=', collectionId)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error('the collection has been deleted meanwhile');
}

const PAGE = 500;

/** Returns the living entities of the collection with the text of their chunks, in pages. */
export async function* documents(
  db: Db,
  place: SearchedCollection,
): AsyncGenerator<JudgedDocument[], void, void> {
  for (let after = ''; ; ) {
    const entities = await db
      .selectFrom('entities')
      .innerJoin('connections', 'connections.id', 'entities.connection_id')
      .where('connections.organization_id', '=', place.organizationId)
      .where('connections.collection_id', '=', place.collectionId)
      .where('entities.collection_id', '=', place.collectionId)
      .where('connections.deleted_at', 'is', null)
      .where('entities.is_hidden', '=', false)
      .where('entities.id', '>', after)
      .select(['entities.id', 'entities.entity_id', 'entities.name'])
      .orderBy('entities.id')
      .limit(PAGE)
      .execute();
    if (entities.length === 0) return;
    after = entities.at(-1)!.id;
    const rows = entities.map(({ id }) => id);
    const texts = await textsOf(db, place.collectionId, rows);
    yield entities.map(({ id, entity_id, name }) => ({
      id: entity_id,
      title: name,
      text: (texts.get(id) ?? []).join('\n\n'),
    }));
  }
}

async function textsOf(
  db: Db,
  collectionId: string,
  entities: readonly string[],
): Promise<Map<string, string[]>> {
  const chunks = await db
    .selectFrom('chunks')
    .innerJoin('chunk_bodies', 'chunk_bodies.n', 'chunks.n')
    .where('chunks.collection_id', '=', collectionId)
    .where('chunk_bodies.collection_id', '=', collectionId)
    .where('chunks.entity', 'in', entities)
    .select(['chunks.entity', 'chunk_bodies.text'])
    .orderBy('chunks.entity')
    .orderBy('chunks.position')
    .execute();
  const texts = new Map<string, string[]>();
  for (const { entity, text } of chunks) {
    const list = texts.get(entity) ?? [];
    texts.set(entity, list);
    list.push(text);
  }
  return texts;
}

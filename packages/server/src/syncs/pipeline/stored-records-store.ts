/** These are the queries that read stored records back. */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import type { ConnectionScope } from '../../engines/ports.ts';
import { TRANSFORMED_AT_ONCE } from './limits.ts';
import { STORED } from './store.ts';

/**
 * `given` stands for the records as the source gave them. `shown` stands for the entities that readers see, in the
 * form of which their chunks are made.
 */
export type StoredForm = 'given' | 'shown';

const columnOf = (form: StoredForm) =>
  form === 'given' ? sql<Uint8Array>`raw` : sql<Uint8Array>`coalesce(shown, raw)`;

/** Reads a page of at most as many rows as transformers get in one call, each with the size of its record in bytes. */
export function page(
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
  { form, after }: { readonly form: StoredForm; readonly after: string | null },
) {
  const rows = db
    .selectFrom('entities')
    .select(STORED)
    .select(sql<number>`octet_length(${columnOf(form)})`.as('size'))
    .where('collection_id', '=', collectionId)
    .where('connection_id', '=', connectionId)
    .orderBy('entity_id')
    .limit(TRANSFORMED_AT_ONCE);
  const ofForm =
    form === 'given' ? rows.where('origin', 'is', null) : rows.where('is_hidden', '=', false);
  return (after === null ? ofForm : ofForm.where('entity_id', '>', after)).execute();
}

/**
 * Finds a readable record of the connection whose text was extracted of a file with this content, in the form in which
 * its source gave it.
 */
export const recordWithContent = (
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
  contentHash: string,
) =>
  db
    .selectFrom('entities')
    .select(['extract_version', 'raw'])
    .where('collection_id', '=', collectionId)
    .where('connection_id', '=', connectionId)
    .where('content_hash', '=', contentHash)
    .where('is_damaged', '=', false)
    .limit(1)
    .executeTakeFirst();

/** Reads the compressed records of these rows. */
export async function records(
  db: Db,
  collectionId: string,
  { form, ids }: { readonly form: StoredForm; readonly ids: readonly string[] },
): Promise<Map<string, Uint8Array>> {
  const rows = await db
    .selectFrom('entities')
    .select(['id', columnOf(form).as('record')])
    .where('collection_id', '=', collectionId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, record }) => [id, record]));
}

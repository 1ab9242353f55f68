/** Makes and reads sealed values, for tests that do not get them through the API. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { SEALED_TABLES } from '../db/sealed-columns.ts';
import type { Sealed } from '../model/sealed.ts';
import type { Vault } from '../secrets.ts';
import { newId } from '../util.ts';
import {
  insertAuthProvider,
  insertCollection,
  insertConnection,
  insertOrganization,
} from './api/rows.ts';

/** Uses a text as a sealed value, where a test never opens the value. */
export const sealedText = (text: string): Sealed => text as unknown as Sealed;

/**
 * Inserts this many connections with credentials and tokens, auth providers, and subscriptions with an earlier secret.
 */
export async function insertSealedRows(
  db: Kysely<Schema>,
  vault: Vault,
  count: number,
): Promise<Record<'connections' | 'subscriptions' | 'providers', string[]>> {
  const collection = { id: newId(), organization_id: newId() };
  await insertOrganization(db, collection.organization_id);
  await insertCollection(db, collection);
  const connections: string[] = [];
  const subscriptions: string[] = [];
  const providers: string[] = [];
  await db.transaction().execute(async (tx) => {
    // The order of the ids differs from the order in which the rows are inserted.
    for (const id of Array.from({ length: count }, newId).reverse()) {
      await insertConnection(tx, collection, { id });
      connections.push(id);
      await tx
        .updateTable('connections')
        .set({ credentials: vault.seal(`credentials of ${id}`, id), credentials_key: vault.keyId })
        .where('id', '=', id)
        .execute();
      const { place } = SEALED_TABLES.connection_tokens;
      const tokens = vault.seal(`tokens of ${id}`, place(id));
      await tx
        .insertInto('connection_tokens')
        .values({ connection_id: id, version: 1, tokens, tokens_key: vault.keyId })
        .execute();
      const provider = newId();
      providers.push(provider);
      await insertAuthProvider(tx, collection, {
        id: provider,
        credentials: vault.seal(
          `credentials of ${provider}`,
          SEALED_TABLES.auth_providers.place(provider),
        ),
        credentials_key: vault.keyId,
      });
      const subscription = newId();
      subscriptions.push(subscription);
      await tx
        .insertInto('webhook_subscriptions')
        .values({
          id: subscription,
          organization_id: collection.organization_id,
          url: 'https://example.com',
          filter_types: '[]',
          secret: vault.seal(`secret of ${subscription}`, subscription),
          secret_key: vault.keyId,
          old_secrets: JSON.stringify([
            { secret: vault.seal(`old secret of ${subscription}`, subscription), until: 9e15 },
          ]),
          created_at: 0,
          modified_at: 0,
        })
        .execute();
    }
  });
  return { connections, subscriptions, providers };
}

/**
 * Finds the values that look sealed in every column of every table. Returns the columns as `table.column`, with the
 * number of values that `opens` refuses.
 */
export async function sealedColumnsOf(
  db: Kysely<Schema>,
  opens: (sealed: string, place: string) => unknown,
): Promise<Map<string, { found: number; refused: number }>> {
  const columns = new Map<string, { found: number; refused: number }>();
  const tables = await db.introspection.getTables();
  for (const { name: table } of tables) {
    const rows = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db);
    for (const row of rows.rows)
      for (const [name, value] of Object.entries(row)) {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        for (const [sealed] of (text ?? '').matchAll(/\bv1\.[\w-]{38,}/g)) {
          const at = `${table}.${name}`;
          const counted = columns.get(at) ?? { found: 0, refused: 0 };
          columns.set(at, counted);
          counted.found++;
          const id = String(row.id ?? row.connection_id);
          const places = Object.values(SEALED_TABLES).map(({ place }) => place(id));
          if (!places.some((place) => doesOpen(opens, sealed, place))) counted.refused++;
        }
      }
  }
  return columns;
}

function doesOpen(
  opens: (sealed: string, place: string) => unknown,
  sealed: string,
  place: string,
): boolean {
  try {
    opens(sealed, place);
    return true;
  } catch {
    return false;
  }
}

/** These are the columns of `SEALED_TABLES` as `table.column`. */
export const LISTED_COLUMNS = Object.entries(SEALED_TABLES).flatMap(([table, { columns }]) =>
  Object.keys(columns).map((column) => `${table}.${column}`),
);

/** These queries find and replace sealed values. They are the same for all tables of `SEALED_TABLES`. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import { SEALED_TABLES, type SealedTableName } from '../db/sealed-columns.ts';

/** The row has values that another key than the present one has sealed. */
export interface SealedRow {
  readonly id: string;
  /** These are the sealed columns by name, as they were read. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The rows of a table that are sealed with another key than the one with this id. */
export interface OtherwiseSealed {
  readonly table: SealedTableName;
  readonly keyId: string;
}

/** A row without a sealed value has no key. For a database, `null not in (…)` is not true. */
const isOther = (table: SealedTableName, keyIds: readonly string[]): RawBuilder<boolean> =>
  sql`${sql.ref(SEALED_TABLES[table].key)} not in (${sql.join(keyIds)})`;

export async function countOtherwiseSealed(
  db: Db,
  { table, keyId }: OtherwiseSealed,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
    where ${isOther(table, [keyId])}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Returns the next rows in the order of their ids. `after` is the id of the last row of the page before, or ''. */
export const pageOfOtherwiseSealed = (
  db: Db,
  sealed: OtherwiseSealed,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<SealedRow[]> => {
  const id = sql.ref(SEALED_TABLES[sealed.table].id);
  return read(db, sealed, sql`${id} > ${after} order by ${id} limit ${limit}`);
};

/** Returns undefined when the row has been deleted, or is sealed with the key of `keyId`. */
export async function findOtherwiseSealed(
  db: Db,
  sealed: OtherwiseSealed,
  id: string,
): Promise<SealedRow | undefined> {
  const [row] = await read(db, sealed, sql`${sql.ref(SEALED_TABLES[sealed.table].id)} = ${id}`);
  return row;
}

async function read(
  db: Db,
  { table, keyId }: OtherwiseSealed,
  which: RawBuilder<unknown>,
): Promise<SealedRow[]> {
  const { id, columns } = SEALED_TABLES[table];
  const names = Object.keys(columns);
  const selected = sql.join([id, ...names].map((name) => sql.ref(name)));
  const { rows } = await sql<Record<string, unknown>>`select ${selected} from ${sql.table(table)}
    where ${isOther(table, [keyId])} and ${which}`.execute(db);
  return rows.map((row) => ({
    id: String(row[id]),
    values: Object.fromEntries(names.map((name) => [name, row[name]])),
  }));
}

/**
 * Writes the values that were sealed again with the key of this id. Returns false, and writes nothing, when the row has
 * changed since it was read. Two seals of one value differ, so a row has changed if a sealed text has. A list is not compared,
 * because it changes only together with a sealed text of its row.
 */
export async function replaceSealed(
  db: Db,
  { table, keyId }: OtherwiseSealed,
  { row, values }: { readonly row: SealedRow; readonly values: SealedRow['values'] },
): Promise<boolean> {
  const { id, key } = SEALED_TABLES[table];
  const equals = ([name, value]: [string, unknown]) => sql`${sql.ref(name)} = ${value}`;
  const changes = Object.entries({ ...values, [key]: keyId }).map(equals);
  const asRead = Object.entries({ ...row.values, [id]: row.id })
    .filter(([, value]) => typeof value === 'string')
    .map(equals);
  const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.join(changes)}
    where ${sql.join(asRead, sql` and `)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Tells whether a value that somebody may still need is sealed with none of these keys. */
export async function isSealedWithNoneOf(db: Db, keyIds: readonly string[]): Promise<boolean> {
  const tables = Object.keys(SEALED_TABLES) as SealedTableName[];
  const found = tables.map((table) => {
    const { connection } = SEALED_TABLES[table];
    const isNeeded = connection
      ? sql`${sql.ref(connection)} in (select id from connections where deleted_at is null)`
      : sql`true`;
    return sql`exists (select 1 from ${sql.table(table)} where ${isOther(table, keyIds)} and ${isNeeded})`;
  });
  const { rows } = await sql`select 1 where ${sql.join(found, sql` or `)}`.execute(db);
  return rows.length > 0;
}

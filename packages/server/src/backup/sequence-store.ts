/**
 * The databases assign the keys of some tables. A number is never assigned twice, even if its row is gone, because readers
 * remember numbers. So a copy goes on after the last number of the original.
 */
import { sql } from 'kysely';
import type { TableShape } from '../db/catalog.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db } from '../db/schema.ts';

/** Returns the last number that the database has assigned as a key of the table, or null. */
export async function lastAssigned(
  db: Db,
  kind: DatabaseKind,
  shape: TableShape,
): Promise<number | null> {
  if (kind === 'sqlite') {
    const { rows } = await sql<{ seq: number }>`
      select seq from sqlite_sequence where name = ${shape.name}`.execute(db);
    return rows[0]?.seq || null;
  }
  const sequence = await sequenceOf(db, shape);
  if (sequence === null) return null;
  const { rows } = await sql<{ last_value: number; is_called: boolean }>`
    select last_value, is_called from ${sql.raw(sequence)}`.execute(db);
  const [row] = rows;
  return row?.is_called ? row.last_value : null;
}

export async function setLastAssigned(
  db: Db,
  kind: DatabaseKind,
  { shape, last }: { readonly shape: TableShape; readonly last: number },
): Promise<void> {
  if (kind === 'sqlite') {
    await sql`delete from sqlite_sequence where name = ${shape.name}`.execute(db);
    await sql`insert into sqlite_sequence (name, seq) values (${shape.name}, ${last})`.execute(db);
    return;
  }
  const sequence = await sequenceOf(db, shape);
  if (sequence === null) throw new Error(`the keys of ${shape.name} have no sequence`);
  await sql`select setval(${sequence}::regclass, ${last})`.execute(db);
}

/** Returns the name of the sequence as SQL writes it, or null when the database does not assign the key. */
async function sequenceOf(db: Db, { name, key }: TableShape): Promise<string | null> {
  const [column] = key;
  if (column === undefined || key.length > 1) return null;
  const { rows } = await sql<{ sequence: string | null }>`
    select pg_get_serial_sequence(quote_ident(${name}), ${column}) as sequence`.execute(db);
  return rows[0]?.sequence ?? null;
}

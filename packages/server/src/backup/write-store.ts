/** These statements write a stream of parts into an empty database. They run in one transaction. */
import { CompiledQuery, sql } from 'kysely';
import { type ColumnKind, columnNames, type TableShape } from '../db/catalog.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Tx } from '../db/schema.ts';
import { unavailableReason } from '../db/unavailable.ts';
import { must } from '../util.ts';
import type { CopiedRow, CopiedValue, CopyProgress, CopyStream, TableTotals } from './parts.ts';
import { setLastAssigned } from './sequence-store.ts';

/**
 * A statement of SQLite inserts one of these numbers of rows. Its text depends on the number, and prepared statements stay in
 * memory with the values that they had last.
 */
const BATCHES = [256, 32, 4, 1];
/** SQLite takes at most 32,766 parameters in a statement. */
const PARAMETERS = 32_000;

export interface LoadTarget {
  readonly tx: Tx;
  readonly kind: DatabaseKind;
}

export interface LoadedTable {
  readonly shape: TableShape;
  readonly totals: TableTotals;
}

/** Throws when a table has rows, or other columns than those of the stream. */
export async function loadTables(
  target: LoadTarget,
  parts: CopyStream,
  progress: CopyProgress,
): Promise<readonly LoadedTable[]> {
  const loaded: LoadedTable[] = [];
  let shape: TableShape | undefined;
  let written = 0;
  // Triggers would add rows that the stream has, too.
  const triggers = target.kind === 'sqlite' ? await dropTriggers(target.tx) : [];
  for await (const part of parts) {
    if ('table' in part) {
      shape = part.table;
      written = 0;
      await prepareTable(target, shape);
    } else if ('rows' in part) {
      const table = must(shape);
      await insertRows(target, table, part.rows);
      written += part.rows.length;
      progress(table.name, written);
    } else {
      const table = must(shape);
      await finishTable(target, table, part.totals);
      loaded.push({ shape: table, totals: part.totals });
    }
  }
  for (const trigger of triggers) await sql.raw(trigger).execute(target.tx);
  return loaded;
}

/** Returns the statements that make the triggers again. */
async function dropTriggers(tx: Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_schema where type = 'trigger'`.execute(tx);
  for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(tx);
  return rows.map((row) => row.sql);
}

async function prepareTable({ tx, kind }: LoadTarget, shape: TableShape): Promise<void> {
  const columns = await columnNames(tx, kind, shape.name);
  if (columns.join() !== Object.keys(shape.columns).toSorted().join())
    throw new Error(`the table ${shape.name} of the database has other columns than its copy`);
  if (kind === 'postgres')
    await sql`alter table ${sql.table(shape.name)} disable trigger user`.execute(tx);
  const { rows } = await sql`select 1 from ${sql.table(shape.name)} limit 1`.execute(tx);
  if (rows.length > 0) throw new Error(`the table ${shape.name} of the database is not empty`);
}

async function finishTable(
  { tx, kind }: LoadTarget,
  shape: TableShape,
  { sequence: last }: TableTotals,
): Promise<void> {
  if (last !== null) await setLastAssigned(tx, kind, { shape, last });
  if (kind !== 'postgres') return;
  await sql`alter table ${sql.table(shape.name)} enable trigger user`.execute(tx);
  // The first queries come before PostgreSQL would count the rows by itself.
  await sql`analyze ${sql.table(shape.name)}`.execute(tx);
}

async function insertRows(
  { tx, kind }: LoadTarget,
  shape: TableShape,
  rows: readonly CopiedRow[],
): Promise<void> {
  try {
    await (kind === 'postgres' ? insertIntoPostgres : insertIntoSqlite)(tx, shape, rows);
  } catch (error) {
    if (unavailableReason(error) !== null) throw error;
    const { message } = error as Error;
    throw new Error(`a row of the table ${shape.name} could not be stored: ${message}`, {
      cause: error,
    });
  }
}

async function insertIntoSqlite(
  tx: Tx,
  shape: TableShape,
  rows: readonly CopiedRow[],
): Promise<void> {
  const columns = Object.values(shape.columns);
  const convert = columns.map((of) => BOUND[of]);
  const sizes = BATCHES.filter((size) => size === 1 || size * columns.length <= PARAMETERS);
  for (let at = 0; at < rows.length; ) {
    const size = sizes.find((one) => one <= rows.length - at) ?? 1;
    const values = rows
      .slice(at, at + size)
      .flatMap((row) =>
        row.map((value, column) => (value === null ? null : must(convert[column])(value))),
      );
    await tx.executeQuery(CompiledQuery.raw(insertStatement(shape, size), values));
    at += size;
  }
}

/** The text of the statement is made here, because Kysely would take longer for it than SQLite for the rows. */
function insertStatement({ name, columns }: TableShape, rows: number): string {
  const names = Object.keys(columns);
  const row = `(${names.map(() => '?').join()})`;
  return `insert into "${name}" (${names.map((one) => `"${one}"`).join()}) values ${Array(rows).fill(row).join()}`;
}

/** SQLite stores what it is given in these forms. */
const BOUND: Readonly<Record<ColumnKind, (value: CopiedValue) => unknown>> = {
  text: (value) => value,
  json: (value) => value,
  boolean: (value) => value,
  integer: (value) => (typeof value === 'string' ? BigInt(value) : value),
  real: Number,
  bytes: (value) => Buffer.from(String(value), 'base64'),
};

/** The rows are one parameter, which is much faster than a parameter for each value. */
async function insertIntoPostgres(
  tx: Tx,
  shape: TableShape,
  rows: readonly CopiedRow[],
): Promise<void> {
  const columns = Object.entries(shape.columns);
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  const values = sql.join(columns.map(([, of], at) => sql.raw(CASTS[of](`copied ->> ${at}`))));
  await sql`insert into ${sql.table(shape.name)} (${names}) select ${values}
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as copied`.execute(tx);
}

const CASTS: Readonly<Record<ColumnKind, (value: string) => string>> = {
  text: (value) => value,
  // A column of the type jsonb takes json, too. A column of the type json may hold what jsonb refuses.
  json: (value) => `(${value})::json`,
  boolean: (value) => `(${value})::boolean`,
  integer: (value) => `(${value})::bigint`,
  real: (value) => `(${value})::double precision`,
  bytes: (value) => `decode(${value}, 'base64')`,
};

/** These queries read the contents of a database as a stream. They run in one transaction, so they see one state. */
import { type RawBuilder, sql } from 'kysely';
import type { ColumnKind, TableShape } from '../db/catalog.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db } from '../db/schema.ts';
import { groupedBySize } from '../util.ts';
import {
  type CopiedRow,
  type CopiedValue,
  type CopyPart,
  TableDigest,
  type TableTotals,
} from './parts.ts';
import { lastAssigned } from './sequence-store.ts';

/** A page has at most this many rows, and about as many bytes, however large the rows are. */
const PAGE_ROWS = 2000;
const PAGE_BYTES = 4 * 2 ** 20;

interface CopiedTable {
  readonly db: Db;
  readonly kind: DatabaseKind;
  readonly shape: TableShape;
}

type RowKey = readonly unknown[];

export async function* readTables(
  db: Db,
  kind: DatabaseKind,
  shapes: readonly TableShape[],
): AsyncGenerator<CopyPart> {
  for (const shape of shapes) {
    yield { table: shape };
    const digest = new TableDigest(shape);
    for await (const rows of pagesOf({ db, kind, shape })) {
      digest.add(rows);
      yield { rows };
    }
    yield { totals: await totalsOf({ db, kind, shape }, digest) };
  }
}

/** Reads the tables only for their totals. */
export async function totalsOfTables(
  db: Db,
  kind: DatabaseKind,
  shapes: readonly TableShape[],
): Promise<TableTotals[]> {
  const totals: TableTotals[] = [];
  for await (const part of readTables(db, kind, shapes))
    if ('totals' in part) totals.push(part.totals);
  return totals;
}

const totalsOf = async (
  { db, kind, shape }: CopiedTable,
  { rows, digest }: TableDigest,
): Promise<TableTotals> => ({
  table: shape.name,
  rows,
  digest,
  sequence: await lastAssigned(db, kind, shape),
});

/**
 * First asks for the keys of the next rows and for the sizes of these rows, because a page of large rows must have fewer of
 * them.
 */
async function* pagesOf(table: CopiedTable): AsyncGenerator<readonly CopiedRow[]> {
  let after: RowKey | null = null;
  for (let read = PAGE_ROWS; read === PAGE_ROWS; ) {
    const keys: readonly SizedKey[] = await keysAfter(table, after);
    for (const group of groupedBySize(keys, ({ bytes }) => bytes, PAGE_BYTES)) {
      yield await rowsAfter(table, after, group.length);
      after = group.at(-1)?.key ?? after;
    }
    read = keys.length;
  }
}

interface SizedKey {
  readonly key: RowKey;
  readonly bytes: number;
}

async function keysAfter(table: CopiedTable, after: RowKey | null): Promise<readonly SizedKey[]> {
  const { db, kind, shape } = table;
  const sizes = Object.entries(shape.columns).flatMap(([name, of]) => SIZES[kind](name, of));
  const key = keyOf(shape);
  const { rows } = await sql<Record<string, unknown>>`
    select ${key}, ${sizes.length > 0 ? sql.join(sizes, sql` + `) : sql`0`} as copied_bytes
    from ${sql.table(shape.name)} where ${after ? isAfter(shape, after) : sql`true`}
    order by ${key} limit ${sql.lit(PAGE_ROWS)}`.execute(db);
  return rows.map((row) => ({
    key: shape.key.map((name) => row[name]),
    bytes: Number(row.copied_bytes),
  }));
}

async function rowsAfter(
  { db, kind, shape }: CopiedTable,
  after: RowKey | null,
  count: number,
): Promise<readonly CopiedRow[]> {
  const columns = Object.entries(shape.columns);
  // A value of an expression keeps the form in which the database has it.
  const selected = columns.map(
    ([name, of], at) => sql`${VALUES[kind](name, of)} as ${sql.ref(`c${at}`)}`,
  );
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(selected)} from ${sql.table(shape.name)}
    where ${after ? isAfter(shape, after) : sql`true`}
    order by ${keyOf(shape)} limit ${sql.lit(count)}`.execute(db);
  const convert = columns.map(([, of], at) => [`c${at}`, CONVERT[of]] as const);
  return rows.map((row) =>
    convert.map(([name, change]) => {
      const value = row[name];
      return value === null || value === undefined ? null : change(value);
    }),
  );
}

const keyOf = ({ key }: TableShape) => sql.join(key.map((name) => sql.ref(name)));

const isAfter = (shape: TableShape, after: RowKey) => sql`(${keyOf(shape)}) > (${sql.join(after)})`;

/** Returns the expression for the bytes of a value, and none for the kinds whose values are small. */
type SizeOf = (name: string, kind: ColumnKind) => readonly RawBuilder<unknown>[];

const sizeOf = (value: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(octet_length(${value}), 0)`;

const SIZES: Readonly<Record<DatabaseKind, SizeOf>> = {
  sqlite: (name, kind) =>
    kind === 'text' || kind === 'json' || kind === 'bytes' ? [sizeOf(sql.ref(name))] : [],
  postgres: (name, kind) => {
    if (kind === 'json') return [sizeOf(sql`${sql.ref(name)}::text`)];
    return kind === 'text' || kind === 'bytes' ? [sizeOf(sql.ref(name))] : [];
  },
};

type ValueOf = (name: string, kind: ColumnKind) => RawBuilder<unknown>;

const VALUES: Readonly<Record<DatabaseKind, ValueOf>> = {
  sqlite: (name, kind) => {
    if (kind === 'integer' || kind === 'json') return sql`cast(${sql.ref(name)} as text)`;
    return kind === 'boolean' ? sql`cast(${sql.ref(name)} as integer)` : sql.ref(name);
  },
  postgres: (name, kind) =>
    kind === 'integer' || kind === 'json' ? sql`${sql.ref(name)}::text` : sql.ref(name),
};

const asText = (value: unknown): CopiedValue => String(value);

const CONVERT: Readonly<Record<ColumnKind, (value: unknown) => CopiedValue>> = {
  text: asText,
  json: asText,
  boolean: (value) => Boolean(value),
  integer: (value) => {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  },
  real: (value) => {
    const number = Number(value);
    if (Object.is(number, -0)) return '-0';
    return Number.isFinite(number) ? number : String(number);
  },
  bytes: (value) => {
    const { buffer, byteOffset, byteLength } = value as Uint8Array;
    return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  },
};

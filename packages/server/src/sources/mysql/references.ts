/** Finds the foreign keys of tables, with SQL for the names of the rows to which they refer. */
import mysql from 'mysql2';
import { number, other, type ValueKind, words } from '../sql/kinds.ts';
import { namingOf } from '../sql/roles.ts';
import { isSecret } from '../sql/secret-columns.ts';
import { MAX_NAME, type Reference } from '../sql/shape.ts';
import { columnSql } from './columns.ts';
import { columnsIn, type ListedColumn, type MysqlRelation, tableSql } from './relations.ts';
import type { MysqlSession } from './session.ts';

/** Returns the references of each relation, in the order of the relations. */
export async function findReferences(
  session: MysqlSession,
  relations: readonly MysqlRelation[],
): Promise<readonly (readonly Reference[])[]> {
  const schemas = new Set(relations.flatMap(({ table }) => table?.schema ?? []));
  const keys: MysqlForeignKey[] = [];
  for (const schema of schemas) keys.push(...(await foreignKeysIn(session, schema)));
  const columns = new Map<string, ReadonlyMap<string, readonly ListedColumn[]>>();
  for (const { target } of keys)
    if (!columns.has(target.schema))
      columns.set(target.schema, await columnsIn(session, target.schema));
  return relations.map(({ table }) =>
    keys
      .filter(({ schema, name }) => schema === table?.schema && name === table.name)
      .map(({ target, pairs }) => ({
        columns: pairs.map(([column]) => column),
        table: target.name,
        keys: pairs.map(([, other]) => other),
        sql: nameOfTarget(target, pairs, columns.get(target.schema)?.get(target.name) ?? []),
      })),
  );
}

interface MysqlForeignKey {
  readonly schema: string;
  readonly name: string;
  readonly target: { readonly schema: string; readonly name: string };
  /** Each pair is a column of the foreign key and the column of the other table to which it refers. */
  readonly pairs: (readonly [column: string, other: string])[];
}

async function foreignKeysIn(session: MysqlSession, schema: string): Promise<MysqlForeignKey[]> {
  const keys = new Map<string, MysqlForeignKey>();
  for (const row of await session.query(FOREIGN_KEYS, [schema])) {
    const [name = '', constraint, column = '', targetSchema = '', target = '', other = ''] =
      row.map(String);
    const id = JSON.stringify([name, constraint]);
    const key = keys.get(id) ?? {
      schema,
      name,
      target: { schema: targetSchema, name: target },
      pairs: [],
    };
    key.pairs.push([column, other]);
    keys.set(id, key);
  }
  return [...keys.values()];
}

function nameOfTarget(
  { schema, name }: MysqlForeignKey['target'],
  pairs: MysqlForeignKey['pairs'],
  columns: readonly ListedColumn[],
): string | null {
  const readable = columns
    .filter(({ mayRead }) => mayRead)
    .map((column) => ({ name: column.name, kind: kindOf(column.type) }));
  const { names, identifiers } = namingOf(
    name,
    readable.filter((one) => !isSecret(one.name, one.kind)),
  );
  const candidates = [...names, ...identifiers];
  const mayCompare = pairs.every(([, other]) => readable.some((one) => one.name === other));
  if (candidates.length === 0 || !mayCompare) return null;
  const same = pairs.map(([column, other]) => `${ofTarget(other)} = ${columnSql(column)}`);
  return `(select coalesce(${candidates.map(nameSql).join(', ')}) from ${tableSql(schema, name)} as f where ${same.join(' and ')} limit 1)`;
}

const ofTarget = (name: string) => `f.${mysql.escapeId(name, true)}`;

/** Columns may have different character sets, so all of them are converted to one. */
const nameSql = (columns: readonly string[]): string => {
  const parts = columns.map(
    (name) => `left(convert(${ofTarget(name)} using utf8mb4), ${MAX_NAME})`,
  );
  return `nullif(trim(concat_ws(' ', ${parts.join(', ')})), '')`;
};

/** Only these kinds of columns name a row. */
const kindOf = (type: string): ValueKind => {
  if (/^(char|varchar|(tiny|medium|long)?text|enum)$/.test(type)) return words;
  return /^((tiny|small|medium|big)?int|decimal)$/.test(type) ? number : other;
};

const FOREIGN_KEYS = `
  select table_name, constraint_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name
  from information_schema.key_column_usage
  where table_schema = ? and referenced_table_name is not null
  order by table_name, constraint_name, ordinal_position`;

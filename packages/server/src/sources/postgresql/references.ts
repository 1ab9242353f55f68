/** Finds the foreign keys of tables, with SQL for the names of the rows to which they refer. */
import pg from 'pg';
import { namingOf } from '../sql/roles.ts';
import { isSecret } from '../sql/secret-columns.ts';
import { MAX_NAME, type Reference } from '../sql/shape.ts';
import type { PostgresRelation } from './relations.ts';
import type { DatabaseSession } from './session.ts';
import { kindOf } from './values.ts';

/** Returns a map from the oid of a table to its references. */
export async function findReferences(
  session: DatabaseSession,
  relations: readonly PostgresRelation[],
): Promise<ReadonlyMap<number, readonly Reference[]>> {
  const oids = relations.flatMap(({ table }) => table?.oid ?? []);
  const found = new Map<number, Reference[]>();
  if (oids.length === 0) return found;
  for (const key of await session.query<ForeignKey>(FOREIGN_KEYS, [oids]))
    found.set(key.oid, [...(found.get(key.oid) ?? []), toReference(key)]);
  return found;
}

interface ForeignKey {
  /** This is the oid of the table that has the foreign key. */
  readonly oid: number;
  /** These fields describe the table to which the foreign key refers. */
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  /** `operator` is the operator of the constraint itself. */
  readonly pairs: readonly { column: string; other: string; operator: string }[];
  /** These are the columns of the other table that the role may read, or null when it may read none. */
  readonly columns: readonly { name: string; type: string; is_enum: boolean }[] | null;
}

const toReference = (key: ForeignKey): Reference => ({
  columns: key.pairs.map(({ column }) => column),
  table: key.name,
  keys: key.pairs.map(({ other }) => other),
  sql: nameOfTarget(key),
});

function nameOfTarget({ schema, name, kind, pairs, columns }: ForeignKey): string | null {
  const readable = (columns ?? []).map((one) => ({
    name: one.name,
    kind: kindOf(one.type, one.is_enum),
  }));
  const { names, identifiers } = namingOf(
    name,
    readable.filter((one) => !isSecret(one.name, one.kind)),
  );
  const candidates = [...names, ...identifiers];
  const mayCompare = pairs.every(({ other }) => readable.some((one) => one.name === other));
  if (candidates.length === 0 || !mayCompare) return null;
  const table = `${kind === 'r' ? 'only ' : ''}${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  const same = pairs.map(
    ({ column, other, operator }) =>
      `f.${pg.escapeIdentifier(other)} ${operator} r.${pg.escapeIdentifier(column)}`,
  );
  return `(select coalesce(${candidates.map(nameSql).join(', ')}) from ${table} as f where ${same.join(' and ')} limit 1)`;
}

const nameSql = (columns: readonly string[]): string => {
  const parts = columns.map((name) => `left(f.${pg.escapeIdentifier(name)}::text, ${MAX_NAME})`);
  return `nullif(btrim(concat_ws(' ', ${parts.join(', ')})), '')`;
};

/** A key with a parent is left out, because it repeats the key of the partitioned table. */
const FOREIGN_KEYS = `
  select con.conrelid as oid, n.nspname::text as schema, c.relname::text as name,
    c.relkind::text as kind,
    (
      select json_agg(json_build_object(
        'column', l.attname,
        'other', o.attname,
        'operator', format('operator(%I.%s)', s.nspname, op.oprname)
      ) order by p.place)
      from unnest(con.conkey, con.confkey, con.conpfeqop)
        with ordinality as p(local, other, operator, place)
      join pg_attribute l on l.attrelid = con.conrelid and l.attnum = p.local
      join pg_attribute o on o.attrelid = con.confrelid and o.attnum = p.other
      join pg_operator op on op.oid = p.operator
      join pg_namespace s on s.oid = op.oprnamespace
    ) as pairs,
    (
      select json_agg(json_build_object(
        'name', a.attname,
        'type', coalesce(b.typname, t.typname),
        'is_enum', coalesce(b.typtype, t.typtype) = 'e'
      ) order by a.attnum)
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_type b on b.oid = t.typbasetype
      where a.attrelid = con.confrelid and a.attnum > 0 and not a.attisdropped
        and has_column_privilege(con.confrelid, a.attnum, 'select')
    ) as columns
  from pg_constraint con
  join pg_class c on c.oid = con.confrelid
  join pg_namespace n on n.oid = c.relnamespace
  where con.contype = 'f' and con.conparentid = 0 and con.conrelid = any($1)
    and has_schema_privilege(n.oid, 'usage')
  order by con.conrelid, con.conname`;

/** This file has the access control in SQL: it decides to whom an entity may be shown. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './connect.ts';

/**
 * Returns a condition on the columns `viewers` and `is_public` of the table or alias `entities`. An entity that is
 * public, or whose `viewers` is null, may be shown to everybody. With null as principals, all entities may be shown.
 */
export function visibleTo(
  kind: DatabaseKind,
  principals: readonly string[] | null,
  entities: string,
): RawBuilder<boolean> {
  if (principals === null) return sql<boolean>`(1 = 1)`;
  const viewers = sql.ref(`${entities}.viewers`);
  // PostgreSQL cannot store a text with NUL, so a principal with NUL cannot be among the viewers.
  const named = JSON.stringify(principals.filter((one) => !one.includes('\0')));
  const isNamed =
    kind === 'sqlite'
      ? sql`exists (select 1 from json_each(${viewers}) as viewer
          where viewer.value in (select value from json_each(${named})))`
      : sql`exists (select 1 from jsonb_array_elements_text(${viewers}) as viewer(value)
          where viewer.value in (select value from jsonb_array_elements_text(${named}::jsonb)))`;
  return sql<boolean>`(${viewers} is null or ${sql.ref(`${entities}.is_public`)} or ${isNamed})`;
}

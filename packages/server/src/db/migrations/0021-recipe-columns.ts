/**
 * The parts of a recipe were one text, such as `extract-3 split-3 terms-1 model vectors listed via:…`. They become
 * columns. Jobs and tasks no longer have leases of their own: the one lease is that of their entry in the queue.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

/** One statement inserts at most this many rows. */
const ROWS = 50;

export const up =
  ({ flag }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    const text = (name: string) =>
      db.schema.alterTable('entities').addColumn(name, 'text').execute();
    const required = (name: string) =>
      db.schema
        .alterTable('entities')
        .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
        .execute();
    const boolean = (name: string, initial: 'true' | 'false') =>
      db.schema
        .alterTable('entities')
        .addColumn(name, flag, (c) => c.notNull().defaultTo(sql.raw(initial)))
        .execute();
    await required('extract_version');
    await required('chunk_version');
    await boolean('is_searchable', 'true');
    await boolean('is_listable', 'true');
    await text('chain');
    await text('chain_version');
    await text('failed_attempt');
    await boolean('is_damaged', 'false');
    await splitRecipes(db, flag);
    await sql`alter table entities drop column recipe`.execute(db);
    await sql`alter table sync_jobs drop column lease_token`.execute(db);
    await sql`alter table maintenance_tasks drop column lease_token`.execute(db);
  };

/** All entities together have few different recipes, so each is split once. */
async function splitRecipes(db: Kysely<unknown>, flag: ColumnTypes['flag']): Promise<void> {
  const { rows } = await sql<{ recipe: string }>`select distinct recipe from entities`.execute(db);
  if (rows.length === 0) return;
  await sql`
    create table recipe_parts (recipe text primary key, extract_version text, chunk_version text,
      is_searchable ${sql.raw(flag)}, is_listable ${sql.raw(flag)}, chain text, chain_version text,
      failed_attempt text, is_damaged ${sql.raw(flag)})`.execute(db);
  for (let start = 0; start < rows.length; start += ROWS) {
    const parts = rows.slice(start, start + ROWS).map(({ recipe }) => partsOf(recipe));
    await sql`insert into recipe_parts values ${sql.join(parts)}`.execute(db);
  }
  await sql`
    update entities set extract_version = p.extract_version, chunk_version = p.chunk_version,
      is_searchable = p.is_searchable, is_listable = p.is_listable, chain = p.chain,
      chain_version = p.chain_version, failed_attempt = p.failed_attempt, is_damaged = p.is_damaged
    from recipe_parts as p where p.recipe = entities.recipe`.execute(db);
  await sql`drop table recipe_parts`.execute(db);
}

function partsOf(recipe: string) {
  const via = / via:([0-9a-f]+):(?:!(\S+):)?([0-9a-f]+)$/.exec(recipe);
  const [, chain = null, failedAttempt = null, chainVersion = null] = via ?? [];
  const parts = recipe.slice(0, via?.index).split(' ');
  const [extractVersion = ''] = parts;
  const [searchable, listable] = parts.slice(-2);
  const yes = (condition: boolean) => sql.raw(condition ? 'true' : 'false');
  return sql`(${recipe}, ${extractVersion}, ${parts.slice(1, -2).join(' ')},
    ${yes(searchable === 'vectors')}, ${yes(listable === 'listed')},
    ${chain}, ${chainVersion}, ${failedAttempt}, ${yes(extractVersion === 'unreadable')})`;
}

/**
 * This migration stores what a key may reach: every organization of its account or only its own, some collections
 * or all of them, and whether it searches on behalf of others.
 *
 * Before, each admin key reached every organization in which its account is an admin. From now on only one of the
 * keys of an account does, so that a person who was given another key reaches only the organization of that key,
 * and no organization is lost. It is the oldest admin key of the organization that the account has been in longest,
 * which on an installation that nobody has changed is its first key. Keys that expire come after those that do not.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ flag, json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    for (const name of ['all_organizations', 'search_as'])
      await db.schema
        .alterTable('api_keys')
        .addColumn(name, flag, (c) => c.notNull().defaultTo(sql`false`))
        .execute();
    await db.schema.alterTable('api_keys').addColumn('collection_ids', json).execute();
    await sql`
      update api_keys set all_organizations = true where id in (
        select id from (
          select api_keys.id, row_number() over (
            partition by api_keys.user_id
            order by memberships.created_at, memberships.organization_id,
              case when api_keys.expires_at is null then 0 else 1 end,
              api_keys.created_at, api_keys.id) as place
          from api_keys join memberships
            on memberships.user_id = api_keys.user_id
            and memberships.organization_id = api_keys.organization_id
          where api_keys.role = 'admin' and memberships.role = 'admin'
            and (api_keys.expires_at is null or api_keys.expires_at > cast(${Date.now()} as bigint))
        ) as placed
        where place = 1)`.execute(db);
  };

/**
 * These are the queries on the members of groups. The memberships that one pull has listed form a list, whose number
 * is the pull's generation. Readers use the list whose number is in the connection's row. So a sync can write a list of
 * any length in short transactions, and the list takes effect as a whole.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import type { Membership } from '../../sources/define.ts';
import { chunked } from '../../util.ts';

/** This keeps the bind variables of a statement below the limits of both databases. */
const ROWS = 100;

export async function addMembers(
  tx: Tx,
  { connectionId, list }: { readonly connectionId: string; readonly list: number },
  members: readonly Membership[],
): Promise<void> {
  for (const some of chunked(members, ROWS))
    await tx
      .insertInto('group_members')
      .values(
        some.map(({ group, member }) => ({
          connection_id: connectionId,
          list,
          group_name: group,
          member,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Makes this list the one that readers use. */
export const switchTo = (tx: Tx, connectionId: string, list: number) =>
  tx
    .updateTable('connections')
    .set({ members_list: list, members_read_at: Date.now() })
    .where('id', '=', connectionId)
    .execute();

/** Deletes some rows of lists that a pull began and that were never read. Returns how many, at most `limit`. */
export const removeUnread = (db: Db, connectionId: string, limit: number): Promise<number> =>
  remove(db, sql`list > ${current(connectionId)}`, { connectionId, limit });

/** Deletes some rows of lists that are no longer read. Returns how many, at most `limit`. */
export const removeOutdated = (db: Db, connectionId: string, limit: number): Promise<number> =>
  remove(db, sql`list < ${current(connectionId)}`, { connectionId, limit });

/** Deletes some rows of all lists of the connection. Returns how many, at most `limit`. */
export const removeMembers = (db: Db, connectionId: string, limit: number): Promise<number> =>
  remove(db, sql`true`, { connectionId, limit });

const current = (connectionId: string) =>
  sql`(select members_list from connections where id = ${connectionId})`;

async function remove(
  db: Db,
  which: RawBuilder<unknown>,
  { connectionId, limit }: { readonly connectionId: string; readonly limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from group_members where connection_id = ${connectionId}
    and (list, member, group_name) in (
      select list, member, group_name from group_members
      where connection_id = ${connectionId} and ${which} limit ${sql.lit(limit)})`.execute(db);
  return Number(numAffectedRows);
}

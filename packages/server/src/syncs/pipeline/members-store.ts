/**
 * Queries of who is in which group. The memberships that one pull has heard of are a list, numbered by
 * the pull's generation; readers go by the one that the connection names. So a sync writes a list of
 * any length in short transactions, and it takes effect as a whole.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../db/schema.ts';
import type { Membership } from '../../sources/define.ts';
import { chunked } from '../../util.ts';

/** Bind variables a statement stay below what both databases take. */
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

/** From now on readers go by this list. */
export const switchTo = (tx: Tx, connectionId: string, list: number) =>
  tx
    .updateTable('connections')
    .set({ members_list: list })
    .where('id', '=', connectionId)
    .execute();

/** Takes away some of what was begun and never read. Gives how many rows, `limit` at most. */
export const removeUnread = (db: Db, connectionId: string, limit: number): Promise<number> =>
  remove(db, connectionId, sql`list > ${current(connectionId)}`, limit);

/** Takes away some of what is read no more. */
export const removeOutdated = (db: Db, connectionId: string, limit: number): Promise<number> =>
  remove(db, connectionId, sql`list < ${current(connectionId)}`, limit);

/** Takes away some of all that there is. */
export const removeMembers = (db: Db, connectionId: string, limit: number): Promise<number> =>
  remove(db, connectionId, sql`true`, limit);

const current = (connectionId: string) =>
  sql`(select members_list from connections where id = ${connectionId})`;

async function remove(
  db: Db,
  connectionId: string,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from group_members where connection_id = ${connectionId}
    and (list, member, group_name) in (
      select list, member, group_name from group_members
      where connection_id = ${connectionId} and ${which} limit ${sql.lit(limit)})`.execute(db);
  return Number(numAffectedRows);
}

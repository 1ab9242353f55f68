/** These queries remove rows of windows that nobody needs any more, a few at a time. */
import { sql } from 'kysely';
import type { Db } from '../db/schema.ts';

const ROWS_PER_STEP = 500;

/**
 * Removes some rows of the windows that only this connection used. Resolves to false when none are left. Its requests
 * in a shared window stay, because they count until they leave the window.
 */
export const removeSomeOfConnection = (db: Db, connectionId: string): Promise<boolean> =>
  removeSome(db, 'connection_id', connectionId);

/** Removes some rows of the organization's windows. Resolves to false when none are left. */
export const removeSomeOfOrganization = (db: Db, organizationId: string): Promise<boolean> =>
  removeSome(db, 'organization_id', organizationId);

async function removeSome(
  db: Db,
  column: 'connection_id' | 'organization_id',
  value: string,
): Promise<boolean> {
  const window = await db
    .selectFrom('source_windows')
    .select('id')
    .where(column, '=', value)
    .limit(1)
    .executeTakeFirst();
  if (!window) return false;
  const removed = await oldest(db, window.id).executeTakeFirst();
  if (removed.numDeletedRows > 0n) return true;
  await db.deleteFrom('source_waits').where('window_id', '=', window.id).execute();
  await db.deleteFrom('source_windows').where('id', '=', window.id).execute();
  return true;
}

export const endTurnsOf = (db: Db, connectionId: string) =>
  db.deleteFrom('source_waits').where('connection_id', '=', connectionId).execute();

/**
 * Removes admissions before this time, in windows that have not been used for a while. The newest row of a window
 * stays, unless the window was removed. Yields after each step.
 */
export async function* forgetAdmissions(db: Db, before: number): AsyncGenerator<void> {
  for (let windowId = 0; ; ) {
    const next = await db
      .selectFrom('source_admissions')
      .select('window_id')
      .where('window_id', '>', windowId)
      .orderBy('window_id')
      .limit(1)
      .executeTakeFirst();
    if (!next) return;
    windowId = next.window_id;
    while (await forgetSome(db, windowId, before)) yield;
    yield;
  }
}

async function forgetSome(db: Db, windowId: number, before: number): Promise<boolean> {
  const removed = await oldest(db, windowId)
    .where('at', '<', before)
    .where(({ eb, exists, fn, not, or, selectFrom }) =>
      or([
        eb(
          'seq',
          '<',
          selectFrom('source_admissions')
            .select(fn.max('seq').as('newest'))
            .where('window_id', '=', windowId),
        ),
        not(exists(selectFrom('source_windows').select('id').where('id', '=', windowId))),
      ]),
    )
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}

/** Begins a statement that deletes the oldest admissions of a window. */
const oldest = (db: Db, windowId: number) =>
  db
    .deleteFrom('source_admissions')
    .where('window_id', '=', windowId)
    .where('seq', '<', ({ fn, selectFrom }) =>
      selectFrom('source_admissions')
        .select(sql<number>`${fn.min('seq')} + ${sql.lit(ROWS_PER_STEP)}`.as('end'))
        .where('window_id', '=', windowId),
    );

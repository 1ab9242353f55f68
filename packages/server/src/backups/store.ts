/** These are the queries on the backups that the service makes. */
import type { Selectable } from 'kysely';
import type { BackupTable, Db, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import { LIVE_TASK_STATUSES } from '../model/maintenance-status.ts';

export type BackupRow = Selectable<BackupTable>;

/** Returns false when another backup has not ended. */
export async function insert(
  tx: Tx,
  row: Pick<BackupRow, 'id' | 'name' | 'trigger' | 'created_at'>,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('backups')
    .values({ ...row, status: 'PENDING', active: 1 })
    .onConflict((on) => on.column('active').doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows) > 0;
}

export async function list(db: Db, page: Page): Promise<Listed<BackupRow>> {
  const { total } = await db
    .selectFrom('backups')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('backups')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(page.skip)
    .limit(page.limit)
    .execute();
  return { total: Number(total), rows };
}

export const find = (db: Db, name: string): Promise<BackupRow | undefined> =>
  db.selectFrom('backups').selectAll().where('name', '=', name).executeTakeFirst();

export const byId = (db: Db, id: string): Promise<BackupRow | undefined> =>
  db.selectFrom('backups').selectAll().where('id', '=', id).executeTakeFirst();

export async function unfinishedName(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('backups')
    .select('name')
    .where('active', '=', 1)
    .executeTakeFirst();
  return row?.name;
}

/** Returns false when the backup has not ended, so that its worker goes on to know it. */
export async function removeEnded(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('backups')
    .where('id', '=', id)
    .where('active', 'is', null)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Names the attempt of a worker to write a backup. */
export interface BackupAttempt {
  readonly id: string;
  readonly leaseToken: string;
}

/** Later attempts of the same backup take the right to write it away from earlier ones. */
export async function begin(db: Db, { id, leaseToken }: BackupAttempt, now: number): Promise<void> {
  await db
    .updateTable('backups')
    .set({ status: 'RUNNING', started_at: now, lease_token: leaseToken })
    .where('id', '=', id)
    .where('active', '=', 1)
    .execute();
}

export async function isHeld(db: Db, { id, leaseToken }: BackupAttempt): Promise<boolean> {
  const row = await db
    .selectFrom('backups')
    .select('id')
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .executeTakeFirst();
  return row !== undefined;
}

type BackupOutcome =
  | ({ readonly status: 'COMPLETED' } & Pick<
      BackupRow,
      'size_bytes' | 'table_count' | 'row_count' | 'digest'
    >)
  | { readonly status: 'FAILED'; readonly error: string };

export async function end(
  db: Db,
  { id, leaseToken }: BackupAttempt,
  outcome: BackupOutcome & { readonly ended_at: number },
): Promise<void> {
  await db
    .updateTable('backups')
    .set({ ...outcome, active: null, lease_token: null })
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .execute();
}

/** Returns false when the file is being checked already, or the backup is gone. */
export async function askForCheck(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .updateTable('backups')
    .set({ check_status: 'PENDING', check_ended_at: null, check_error: null })
    .where('id', '=', id)
    .where('status', '=', 'COMPLETED')
    .where((eb) =>
      eb.or([
        eb('check_status', 'is', null),
        eb('check_status', 'not in', [...LIVE_TASK_STATUSES]),
      ]),
    )
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function setCheck(
  db: Db,
  id: string,
  check: Pick<BackupRow, 'check_status' | 'check_ended_at' | 'check_error'>,
): Promise<void> {
  await db.updateTable('backups').set(check).where('id', '=', id).execute();
}

export const lastScheduled = (
  db: Db,
): Promise<Pick<BackupRow, 'status' | 'created_at'> | undefined> =>
  db
    .selectFrom('backups')
    .select(['status', 'created_at'])
    .where('trigger', '=', 'schedule')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Returns the scheduled backups with this status beyond the newest ones that are kept. */
export const scheduledBeyond = (
  db: Db,
  { status, keep }: { readonly status: 'COMPLETED' | 'FAILED'; readonly keep: number },
): Promise<Pick<BackupRow, 'id' | 'name'>[]> =>
  db
    .selectFrom('backups')
    .select(['id', 'name'])
    .where('trigger', '=', 'schedule')
    .where('status', '=', status)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(keep)
    // SQLite knows an offset only with a limit.
    .limit(1000)
    .execute();

/** Returns the oldest organization, which is that of the first start. */
export const oldestOrganization = (db: Db): Promise<{ readonly id: string } | undefined> =>
  db
    .selectFrom('organizations')
    .select('id')
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Returns true when there is an organization besides this one in which the account is not an admin. */
export async function hasOthers(
  db: Db,
  { accountId, organizationId }: { readonly accountId?: string; readonly organizationId: string },
): Promise<boolean> {
  const others = db
    .selectFrom('organizations')
    .select('organizations.id')
    .where('organizations.deleted_at', 'is', null)
    .where('organizations.id', '<>', organizationId);
  const foreign =
    accountId === undefined
      ? others
      : others.where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('memberships')
                .select('memberships.user_id')
                .whereRef('memberships.organization_id', '=', 'organizations.id')
                .where('memberships.user_id', '=', accountId)
                .where('memberships.role', '=', 'admin'),
            ),
          ),
        );
  return (await foreign.limit(1).executeTakeFirst()) !== undefined;
}

/** These queries remove the rows of a deleted organization, a few at a time. */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/schema.ts';
import { removeSomeOfOrganization } from '../rate-limits/removal-store.ts';

const ROWS_PER_STEP = 500;

/** Returns the id of a collection that has no entry in the queue, and which therefore this job must remove. */
export async function nextCollection(db: Db, organizationId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('collections')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('jobs').select('jobs.seq').whereRef('lane', '=', 'collections.id'))),
    )
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

export async function hasCollections(db: Db, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('collections')
    .select('id')
    .where('organization_id', '=', organizationId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The rows of these tables belong to the organization. The column is unique among the rows of one organization. */
const TABLES = [
  ['events', 'seq'],
  ['transformers', 'id'],
  ['api_keys', 'id'],
  ['memberships', 'user_id'],
  ['invitations', 'id'],
  ['audit_events', 'id'],
  ['source_rate_limits', 'id'],
  ['auth_providers', 'id'],
] as const;

/** Removes some rows. Returns true when it has removed any; the caller then calls it again. */
export async function removeSome(db: Db, organizationId: string): Promise<boolean> {
  for (const [table, key] of TABLES) {
    const removed = await sql`
      delete from ${sql.table(table)} where organization_id = ${organizationId} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where organization_id = ${organizationId}
        limit ${sql.lit(ROWS_PER_STEP)})`.execute(db);
    if ((removed.numAffectedRows ?? 0n) > 0n) return true;
  }
  return removeSomeOfOrganization(db, organizationId);
}

/** Removes the row of the organization, its count of searches, and its usage, which has at most 366 rows. */
export async function removeLast(tx: Tx, organizationId: string): Promise<void> {
  await tx.deleteFrom('agentic_queries').where('organization_id', '=', organizationId).execute();
  await tx.deleteFrom('usage_days').where('organization_id', '=', organizationId).execute();
  await tx.deleteFrom('organizations').where('id', '=', organizationId).execute();
}

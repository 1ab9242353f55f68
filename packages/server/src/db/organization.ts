/** Every feature that creates something in an organization locks that organization while it does so. */
import { type Selectable, sql } from 'kysely';
import type { OrganizationTable, Tx } from './schema.ts';

/**
 * Locks the organization until the transaction ends: transactions that create something in it, change it or delete
 * it wait for each other. Returns the row as it is then, or undefined when the organization has been deleted,
 * because something that is created now would outlive it.
 */
export const lockOrganization = (
  tx: Tx,
  id: string,
): Promise<Selectable<OrganizationTable> | undefined> =>
  tx
    .updateTable('organizations')
    .set({ name: sql`name` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

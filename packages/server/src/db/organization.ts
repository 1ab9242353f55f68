/** Every feature that makes something in an organization holds that organization meanwhile. */
import { type Selectable, sql } from 'kysely';
import type { OrganizationTable, Tx } from './schema.ts';

/**
 * Makes whoever creates something in the organization, changes it or deletes it wait for each other until the transaction
 * ends; gives the row as it is then. Undefined when it has been deleted: what would be created now would outlive it.
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

/** A feature that creates something in an organization must lock that organization first. */
import { type Selectable, sql } from 'kysely';
import type { OrganizationTable, Tx } from './schema.ts';

/**
 * Locks the organization until the transaction ends, so that transactions that change it, delete it or create something
 * in it wait for each other. Returns the current row, or undefined when the organization has been deleted; the caller
 * must then create nothing.
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

/** This file has the queries on what an account reaches in all its organizations. */
import type { Ctx } from '../context.ts';
import type { Db } from '../db/schema.ts';
import { toOrganization } from './key-store.ts';

/** The limit bounds the memory. It is higher than the number of names that a person reads. */
const MAX_COLLECTIONS = 10_000;

export const accountDirectory = (db: Db) => ({
  /**
   * Finds an account by its e-mail, and the organization of its oldest membership. Upper and lower case do not matter.
   * Returns undefined when the account does not exist or does not belong to an organization.
   */
  async find(email: string): Promise<Pick<Ctx, 'account' | 'organization'> | undefined> {
    const row = await db
      .selectFrom('users')
      .innerJoin('memberships', 'memberships.user_id', 'users.id')
      .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
      .where('users.email', 'in', [email, lowerCase(email)])
      .where('organizations.deleted_at', 'is', null)
      .select([
        'users.id',
        'users.email',
        'organizations.id as organization_id',
        'organizations.feature_flags',
        'organizations.quotas',
      ])
      // An account with exactly this spelling comes first.
      .orderBy((eb) => eb('users.email', '=', email), 'desc')
      .orderBy('memberships.created_at')
      .orderBy('memberships.organization_id')
      .limit(1)
      .executeTakeFirst();
    return (
      row && {
        account: { id: row.id, email: row.email },
        organization: toOrganization(row.organization_id, row),
      }
    );
  },

  /** The collections are in the order of their readable_ids. */
  async collections(accountId: string) {
    const rows = await db
      .selectFrom('collections')
      .innerJoin('memberships', 'memberships.organization_id', 'collections.organization_id')
      .innerJoin('organizations', 'organizations.id', 'collections.organization_id')
      .where('memberships.user_id', '=', accountId)
      .where('collections.deleted_at', 'is', null)
      .select([
        'collections.readable_id',
        'collections.name',
        'organizations.id as organization_id',
        'organizations.feature_flags',
        'organizations.quotas',
      ])
      .orderBy('collections.readable_id')
      .orderBy('organizations.id')
      .limit(MAX_COLLECTIONS)
      .execute();
    return rows.map(({ readable_id, name, organization_id, ...row }) => ({
      readable_id,
      name,
      organization: toOrganization(organization_id, row),
    }));
  },
});

/**
 * Converts only ASCII letters to lower case. `toLowerCase` alone would turn some other letters into ASCII letters, such
 * as U+212A (Kelvin sign) into k.
 */
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());

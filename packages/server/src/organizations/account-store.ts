/** Queries on what an account reaches, in all its organizations. */
import type { Ctx } from '../context.ts';
import type { Db } from '../db/schema.ts';
import { toOrganization } from './key-store.ts';

/** More names than anybody reads; a bound of memory. */
const MOST_COLLECTIONS = 10_000;

export const accountDirectory = (db: Db) => ({
  /** By e-mail, which may be written in another case than here. Undefined when it belongs to no organization. */
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
      // As it is written goes first.
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

  /** By readable_id. */
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
      .limit(MOST_COLLECTIONS)
      .execute();
    return rows.map(({ readable_id, name, organization_id, ...row }) => ({
      readable_id,
      name,
      organization: toOrganization(organization_id, row),
    }));
  },
});

/** Of ASCII only: other letters have look-alikes that become ASCII (U+212A is no k). */
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());

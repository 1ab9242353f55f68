/**
 * Invitations are mailed to anybody whom an admin names, so one address gets at most five mails in an hour, and one
 * organization sends at most a hundred. The audit log has each invitation, so all API processes count the same.
 */
import { countInvitations } from '../audit/store.ts';
import type { Db } from '../db/schema.ts';

const HOUR_MS = 3_600_000;
const MOST_TO_ADDRESS = 5;
const MOST_OF_ORGANIZATION = 100;

/** Tells whether the invitation that was just made is one too many. It counts itself, because it is in the log. */
export async function isOneTooMany(
  db: Db,
  { email, organizationId }: { readonly email: string; readonly organizationId: string },
): Promise<boolean> {
  const since = Date.now() - HOUR_MS;
  const [toAddress, ofOrganization] = [
    await countInvitations(db, { since, email, most: MOST_TO_ADDRESS + 1 }),
    await countInvitations(db, { since, organizationId, most: MOST_OF_ORGANIZATION + 1 }),
  ];
  return toAddress > MOST_TO_ADDRESS || ofOrganization > MOST_OF_ORGANIZATION;
}

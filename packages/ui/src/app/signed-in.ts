import { redirect } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { chooseOrganization, currentOrganization, holdOrganization } from '../lib/organization.ts';
import { Refusal } from '../lib/refusal.ts';

/** Leads somebody who has not signed in to the sign-in, and from there back to the address. */
export async function requireSignedIn({
  location,
}: {
  readonly location: { readonly href: string };
}): Promise<void> {
  try {
    const { organization } = await knowMe();
    if (currentOrganization() === null) holdOrganization(organization.id);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401)
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    throw error;
  }
}

/** The organization that the browser has kept may be gone, or no longer be one of the person's. */
async function knowMe(): Promise<Schemas['Me']> {
  try {
    return await queryClient.ensureQueryData(meQuery);
  } catch (error) {
    const isRefused = error instanceof Refusal && [403, 404].includes(error.status);
    if (!isRefused || currentOrganization() === null) throw error;
    chooseOrganization(null);
    return queryClient.ensureQueryData(meQuery);
  }
}

import { redirect } from '@tanstack/react-router';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { Refusal } from '../api/refusal.ts';

/** Leads somebody who has not signed in to the sign-in, and from there back to the address. */
export async function requireSignedIn({
  location,
}: {
  readonly location: { readonly href: string };
}): Promise<void> {
  try {
    await queryClient.ensureQueryData(meQuery);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401)
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    throw error;
  }
}

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { collectionsQuery } from '../../api/queries.ts';
import { isFirstRun } from '../../lib/first-run.ts';
import { chooseOrganization } from '../../lib/organization.ts';
import { ownAddress } from '../../lib/own-address.ts';

/** Returns a function that opens the dashboard after somebody has signed in. `to` is an address of the dashboard. */
export function useEnter(): (to?: string) => Promise<void> {
  const router = useRouter();
  const client = useQueryClient();
  return async (to) => {
    client.clear();
    // Only an address that was asked for may be one of the organization that the browser has kept.
    if (to === undefined) chooseOrganization(null);
    const { origin } = window.location;
    await router.navigate({ href: ownAddress(to, { origin, otherwise: '/collections' }) });
  };
}

/** As `useEnter`, but the first run opens while the organization has nothing of its own to search. */
export function useFirstEnter(): (to?: string) => Promise<void> {
  const enter = useEnter();
  const client = useQueryClient();
  return async (to) => {
    if (to !== undefined) return enter(to);
    chooseOrganization(null);
    // When the collections cannot be read, their page says why.
    const known = await client.fetchQuery(collectionsQuery).catch(() => null);
    await enter(known && isFirstRun(known.items) ? '/welcome' : '/collections');
  };
}

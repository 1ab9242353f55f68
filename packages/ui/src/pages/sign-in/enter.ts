import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ownAddress } from '../../lib/own-address.ts';

/** Returns a function that opens the dashboard after somebody has signed in. `to` is an address of the dashboard. */
export function useEnter(): (to?: string) => Promise<void> {
  const router = useRouter();
  const client = useQueryClient();
  return async (to) => {
    client.clear();
    const { origin } = window.location;
    await router.navigate({ href: ownAddress(to, { origin, otherwise: '/collections' }) });
  };
}

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';

/** Returns a function that opens the dashboard after somebody has signed in. `to` is an address of the dashboard. */
export function useEnter(): (to?: string) => Promise<void> {
  const router = useRouter();
  const client = useQueryClient();
  return async (to) => {
    client.clear();
    // An address of another site in a link must not be followed.
    const isOwn = to?.startsWith('/') && !to.startsWith('//');
    await router.navigate({ href: isOwn ? to : '/collections' });
  };
}

/** Orders checks and repairs of collections. */
import { bodyOf, client } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { serverNow } from '../../lib/clock.ts';

/** A check may take long, so it begins only when the person asks for it. Its report stays until the next one. */
export const checkOf = (readable_id: string) => ({
  queryKey: ['doctor', readable_id],
  enabled: false,
  retry: false,
  staleTime: 0,
  gcTime: Number.POSITIVE_INFINITY,
  queryFn: async () => ({
    at: new Date(serverNow()).toISOString(),
    ...(await order(readable_id, false)),
  }),
});

export const order = (readable_id: string, repair: boolean) =>
  bodyOf(
    client.POST('/v1/collections/{readable_id}/doctor', {
      params: { path: { readable_id } },
      body: { repair },
    }),
  );

export const refreshSystem = () => queryClient.invalidateQueries({ queryKey: ['system'] });

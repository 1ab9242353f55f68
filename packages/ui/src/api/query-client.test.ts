import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../lib/refusal.ts';
import { queryClient } from './query-client.ts';

describe('what was read before', () => {
  const key = ['collections', 'birds'];
  /** Asks for the collection, which was read before, and is refused with this status. Returns what is known then. */
  async function refusedWith(status: number): Promise<unknown> {
    queryClient.setQueryData(key, 'Birds of the quay');
    const more = { status, code: 'not_now', requestId: '', faults: [], retryAfter: null };
    const queryFn = () => Promise.reject(new Refusal('Not now.', more));
    await assert.rejects(queryClient.fetchQuery({ queryKey: key, queryFn, staleTime: 0 }));
    return queryClient.getQueryData(key);
  }

  it('is forgotten when it is gone or forbidden since, and kept after other faults', async () => {
    for (const status of [403, 404]) assert.equal(await refusedWith(status), undefined);
    for (const status of [401, 500]) assert.equal(await refusedWith(status), 'Birds of the quay');
    queryClient.clear();
  });
});

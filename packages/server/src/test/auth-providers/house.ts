/** Runs the whole service with the notes of cloud.ts, and makes collections, providers and connections. */
import assert from 'node:assert/strict';
import type { Logger } from 'pino';
import { createVault } from '../../secrets.ts';
import { openTestQuarry } from '../app/quarry.ts';
import type { DATABASES } from '../databases.ts';
import { openService, sourcesOf } from './cloud.ts';

export type ProviderHouse = Awaited<ReturnType<typeof openProviderHouse>>;

const KEY = 'the encryption key of the tests, long';

export async function openProviderHouse(
  database: (typeof DATABASES)[number],
  { log, env = {} }: { log?: Logger; env?: Record<string, string> } = {},
) {
  const service = await openService();
  const quarry = await openTestQuarry(await database.open(), {
    sources: sourcesOf(service.baseUrl),
    env: { QUARRY_ALLOW_LOOPBACK: 'true', QUARRY_ENCRYPTION_KEY: KEY, ...env },
    ...(log && { log }),
  });
  let made = 0;

  const connect = async (
    over: {
      readonly short_name?: string;
      readonly provider?: string;
      readonly provider_config?: object;
    } & Record<string, unknown>,
  ) => {
    const { provider = 'sign-in', provider_config = { connection_id: 'ann' }, ...rest } = over;
    const readable_id = `notes-${made++}`;
    await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id });
    return quarry.call('POST', '/v1/source-connections', {
      name: 'My notes',
      short_name: 'oauth_notes',
      readable_collection_id: readable_id,
      sync_immediately: false,
      auth: { auth_provider: { provider_readable_id: provider, provider_config } },
      ...rest,
    });
  };

  const endRest = (id: string) =>
    quarry.db
      .updateTable('connection_tokens')
      .set({ rest_until: 0 })
      .where('connection_id', '=', id)
      .execute();

  /** Returns the job of the connection that waits for its next attempt. */
  const waitingJob = (id: string) =>
    quarry.db
      .selectFrom('sync_jobs')
      .select('id')
      .where('connection_id', '=', id)
      .where('waits_until', '>', 0)
      .executeTakeFirst();

  return {
    ...quarry,
    service,
    vault: createVault(KEY),
    connect,
    async connected(over: Parameters<typeof connect>[0] = {}): Promise<{
      id: string;
      readable_collection_id: string;
      auth: { method: string; account: string; expires_at: string | null; authenticated: boolean };
    }> {
      const { status, body } = await connect(over);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    },
    addProvider: (short_name: string, credentials: object, readable_id = 'sign-in') =>
      quarry.ok('POST', '/v1/auth-providers', {
        name: 'Sign-in',
        readable_id,
        short_name,
        credentials,
      }),
    show: (id: string) => quarry.ok('GET', `/v1/source-connections/${id}`),
    tokensOf: (id: string) =>
      quarry.db
        .selectFrom('connection_tokens')
        .selectAll()
        .where('connection_id', '=', id)
        .executeTakeFirst(),
    /** Lets what the provider gave come to its end, and the rest after a failure, too. */
    expire: (id: string) =>
      quarry.db
        .updateTable('connection_tokens')
        .set({ expires_at: 0, renew_at: 0, rest_until: 0 })
        .where('connection_id', '=', id)
        .execute(),
    /** Ends the rest after a failure. */
    endRest,
    /** Runs a sync during which nothing rests after a failure. */
    async syncWithoutRests(id: string) {
      await quarry.ok('POST', `/v1/source-connections/${id}/run`);
      return quarry.settled(id, {
        // The rest began before the job waits, so it is over before the next attempt.
        async hurry() {
          const isWaiting = Boolean(await waitingJob(id));
          if (isWaiting) await endRest(id);
          return isWaiting;
        },
      });
    },
    isWaiting: waitingJob,
    async close() {
      await quarry.close();
      await service.close();
    },
  };
}

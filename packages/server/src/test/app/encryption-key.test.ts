/** Tests starts with another encryption key than the one that sealed the stored secrets. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { type Config, readConfig } from '../../config.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { caller } from '../inject.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { page, testWorld, whole } from './source.ts';

const KEY = `quarry_${'k'.repeat(43)}`;
const OWN = 'the encryption key of the first start';
const FOREIGN = 'the encryption key of somebody else';
const REFUSED = /^Error: the encryption key is not the one .* restore encryption\.key, or set/;

/** Each kind of sealed secret is tested in a database that holds no other secret. */
const SEALED: Readonly<Record<string, { url: string; body: unknown }>> = {
  'the credentials of a connection': {
    url: '/v1/source-connections',
    body: {
      name: 'World',
      short_name: 'world',
      readable_collection_id: 'notes',
      authentication: { credentials: { password: 'right' } },
      sync_immediately: false,
    },
  },
  'the secret of a subscription': {
    url: '/v1/webhooks/subscriptions',
    body: { url: 'https://example.com', event_types: ['sync.completed'] },
  },
};

for (const database of DATABASES)
  for (const [what, { url, body }] of Object.entries(SEALED))
    describe(`${what} on ${database.name}`, () => {
      let test: TestDatabase;
      let dir: string;
      let sealed: string;
      /** The list also holds a service that should not have started, so that it is closed too. */
      const opened: QuarryProcess[] = [];
      before(async () => {
        test = await database.open();
        dir = mkdtempSync(join(tmpdir(), 'quarry-app-'));
      });
      after(async () => {
        for (const quarry of opened) await quarry.close();
        await test.close();
        rmSync(dir, { recursive: true });
      });

      const { source, world } = testWorld();
      world.items = whole(page('a'));
      const open = async (env: Record<string, string>, change: Partial<Config> = {}) => {
        const config = readConfig({ QUARRY_DATA_DIR: dir, QUARRY_API_KEY: KEY, ...env });
        const quarry = await openProcess(
          { ...config, ...change },
          {
            log: pino({ level: 'silent' }),
            threads: false,
            database: test,
            sources: new Map([[source.shortName, source]]),
            onFatal: assert.fail,
          },
        );
        opened.push(quarry);
        return quarry;
      };

      it('[GEN-29] [GEN-30] while this secret is stored, a start with another encryption key, or without one, fails', async () => {
        const first = await open({ QUARRY_ENCRYPTION_KEY: OWN });
        await first.close();
        // Nothing is sealed yet, so another key does no harm.
        const other = await open({ QUARRY_ENCRYPTION_KEY: FOREIGN });
        await other.close();

        const quarry = await open({ QUARRY_ENCRYPTION_KEY: OWN });
        const call = caller(quarry.api, KEY);
        await call('POST', '/v1/collections', { body: { name: 'Notes', readable_id: 'notes' } });
        const made = await call('POST', url, { body });
        assert.equal(made.status, 200, JSON.stringify(made.body));
        await quarry.close();

        await assert.rejects(open({ QUARRY_ENCRYPTION_KEY: FOREIGN }), REFUSED);
        await assert.rejects(open({}), REFUSED);
        assert.ok(!existsSync(join(dir, 'encryption.key')), 'a key file was made');
        sealed = `${url}/${made.body.id}`;
        const again = await open({ QUARRY_ENCRYPTION_KEY: OWN });
        assert.equal((await caller(again.api, KEY)('GET', sealed)).status, 200);
        await again.close();
      });

      it('[AUTH-39] while another key is the current one, the former key in QUARRY_OTHER_ENCRYPTION_KEY still opens this secret', async () => {
        const quarry = await open({
          QUARRY_ENCRYPTION_KEY: FOREIGN,
          QUARRY_OTHER_ENCRYPTION_KEY: OWN,
        });
        const call = caller(quarry.api, KEY);
        if (what.startsWith('the credentials')) {
          assert.equal((await call('POST', `${sealed}/run`)).status, 200);
          await until(async () => {
            const [job] = (await call('GET', `${sealed}/jobs`)).body;
            assert.notEqual(job.status, 'FAILED', job.error_message);
            return job.status === 'COMPLETED';
          });
        } else {
          const { body } = await call('GET', `${sealed}?include_secret=true`);
          assert.match(body.secret, /^whsec_/);
        }
        await quarry.close();
        await assert.rejects(open({ QUARRY_ENCRYPTION_KEY: FOREIGN }), REFUSED);
        await assert.rejects(open({ QUARRY_OTHER_ENCRYPTION_KEY: FOREIGN }), REFUSED);
        assert.ok(!existsSync(join(dir, 'encryption.key')), 'a key file was made');
      });

      if (isSmokeEnough(database)) return;

      it('[GEN-29] a start with another key succeeds as soon as this secret is deleted, even before its rows are removed', async () => {
        // The process has no worker, so nothing is cleaned up.
        const idle: Partial<Config> = { QUARRY_ROLES: ['api'] };
        const quarry = await open({ QUARRY_ENCRYPTION_KEY: OWN }, idle);
        assert.equal((await caller(quarry.api, KEY)('DELETE', sealed)).status, 200);
        await quarry.close();
        const other = await open({ QUARRY_ENCRYPTION_KEY: FOREIGN }, idle);
        assert.equal((await caller(other.api, KEY)('GET', sealed)).status, 404);
        await other.close();
      });
    });

/**
 * Rotates the encryption key by the real command line beside a real service: on SQLite the key of the key file, on PostgreSQL
 * the key of the environment.
 */
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SEALED_TABLES } from '../../db/sealed-columns.ts';
import { countToMove } from '../../encryption/rekey.ts';
import { createVault, type Vault } from '../../secrets.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { insertSealedRows, LISTED_COLUMNS, sealedColumnsOf, sealedText } from '../sealed.ts';
import { until } from '../until.ts';
import { launch, runToEnd, type Server, startServer, TEST_KEY, tempDir } from './process.ts';

const ROWS = 300;
const OLD = 'the old encryption key, of the environment';
const NEW = 'the new encryption key, of the environment';
const { place } = SEALED_TABLES.connection_tokens;

for (const database of DATABASES)
  describe(`quarry rekey on ${database.name}`, () => {
    let test: TestDatabase;
    let dir: ReturnType<typeof tempDir>;
    let dataDir: string;
    const servers: Server[] = [];
    before(async () => {
      test = await database.open();
      dir = tempDir();
      dataDir = test.kind === 'sqlite' ? dirname(must(test.url)) : join(dir.path, 'data');
    });
    after(async () => {
      for (const server of servers) await server.kill();
      await test.close();
      dir.remove();
    });

    const keyFile = () => join(dataDir, 'encryption.key');
    const presentKey = () =>
      test.kind === 'sqlite' ? readFileSync(keyFile(), 'utf8').trim() : NEW;
    /** The settings of a process, in which `present` and `other` are secrets. The key file replaces `present` on SQLite. */
    const settings = (present: string, other?: string): Record<string, string> => ({
      QUARRY_DATA_DIR: dataDir,
      ...(test.kind === 'postgres' && {
        DATABASE_URL: must(test.url),
        QUARRY_ENCRYPTION_KEY: present,
      }),
      ...(other !== undefined && { QUARRY_OTHER_ENCRYPTION_KEY: other }),
    });
    const start = async (env: Record<string, string>): Promise<Server> => {
      const server = await startServer(dataDir, { env: { ...env, QUARRY_API_KEY: TEST_KEY } });
      servers.push(server);
      return server;
    };
    /** Stores other tokens again and again, as services do, and returns the tokens that were stored last. */
    function keepRenewing(vault: Vault, connections: readonly string[]) {
      const stored = new Map<string, string>();
      let isStopped = false;
      const ended = (async () => {
        for (let i = 0; !isStopped; i++) {
          const id = must(connections[i % connections.length]);
          const tokens = `renewal ${i} of ${id}`;
          await test.db
            .updateTable('connection_tokens')
            .set({ tokens: vault.seal(tokens, place(id)), tokens_key: vault.keyId })
            .where('connection_id', '=', id)
            .execute();
          stored.set(id, tokens);
          // Without a pause, nobody else would get the write lock of SQLite.
          await sleep(5);
        }
      })();
      return async () => {
        isStopped = true;
        await ended;
        return stored;
      };
    }

    it('[AUTH-39] moves everything while a service works, through kills, and the old key is no longer needed', async (t) => {
      if (test.url === null) return t.skip('another process cannot reach the database');
      const first = await start(settings(OLD));
      const subscribe = { url: 'https://example.com/hook', event_types: ['sync.completed'] };
      const hook = (await first.call('POST', '/v1/webhooks/subscriptions', subscribe)).body.id;
      const hookPath = `/v1/webhooks/subscriptions/${hook}`;
      const secretOf = async (server: Server) =>
        (await server.call('GET', `${hookPath}?include_secret=true`)).body.secret;
      const secret = await secretOf(first);
      assert.match(secret, /^whsec_/);
      await first.stop();
      const old = test.kind === 'sqlite' ? readFileSync(keyFile(), 'utf8').trim() : OLD;
      const { connections } = await insertSealedRows(test.db, createVault(old), ROWS);

      if (test.kind === 'sqlite') renameSync(keyFile(), join(dir.path, 'old.key'));
      const env = settings(NEW, old);
      const second = await start(env);
      const present = presentKey();
      assert.notEqual(present, old);
      const vault = createVault(present, old);
      assert.equal(await secretOf(second), secret, 'the old key still opens');
      await second.call('POST', `${hookPath}/rotate-secret`);
      const rotated = await secretOf(second);
      assert.notEqual(rotated, secret);

      assert.equal(await countToMove(test.db, vault), 4 * ROWS, 'the new secret has the new key');

      // The first half of the tokens is renewed all the time, by a service that seals with the new key.
      const stop = keepRenewing(createVault(present, old), connections.slice(0, ROWS / 2));
      let left = await countToMove(test.db, vault);
      for (const share of [0.7, 0.3]) {
        const run = launch(['rekey'], env);
        const goal = ROWS * 4 * share;
        left = await until(async () => {
          const count = await countToMove(test.db, vault);
          return count <= goal && { count };
        }).then(({ count }) => count);
        run.child.kill('SIGKILL');
        const { signal, stdout } = await run.exited;
        assert.deepEqual([signal, stdout], ['SIGKILL', ''], 'it was killed before its end');
        for (const [column, { refused }] of await sealedColumnsOf(test.db, vault.open))
          assert.equal(refused, 0, column);
      }
      assert.ok(left > 0);
      const last = await runToEnd(['rekey'], env);
      assert.equal(last.code, 0, last.stderr);
      assert.match(
        last.stdout,
        /^Moved to the present encryption key: .*webhook_subscriptions \d+\./,
      );
      assert.match(last.stdout, /QUARRY_OTHER_ENCRYPTION_KEY is no longer needed\.\n$/);
      const renewals = await stop();
      assert.ok(renewals.size > 0);

      const alone = createVault(present);
      const columns = await sealedColumnsOf(test.db, alone.open);
      assert.deepEqual([...columns.keys()].toSorted(), LISTED_COLUMNS.toSorted());
      for (const [column, { found, refused }] of columns) {
        assert.ok(found >= ROWS, column);
        assert.equal(refused, 0, column);
      }
      const rows = await test.db
        .selectFrom('connection_tokens')
        .select(['connection_id', 'tokens'])
        .execute();
      for (const { connection_id: id, tokens } of rows)
        assert.equal(alone.open(must(tokens), place(id)), renewals.get(id) ?? `tokens of ${id}`);

      assert.equal(await secretOf(second), rotated, 'the service with both keys has gone on');
      await second.stop();
      const third = await start(settings(NEW));
      assert.equal(await secretOf(third), rotated);
      const output = [second, third].map((server) => server.stdout() + server.stderr()).join();
      for (const text of [old, present, secret, rotated])
        assert.ok(!(output + last.stdout + last.stderr).includes(text));
      await third.stop();
    });

    it('[AUTH-39] does nothing when nothing is to be moved, and says what is missing', async (t) => {
      if (test.url === null) return t.skip('another process cannot reach the database');
      const nothing = await runToEnd(['rekey'], settings(NEW));
      assert.deepEqual(
        [nothing.code, nothing.stdout.split('\n')[0]],
        [
          0,
          'Moved to the present encryption key: connections 0, connection_tokens 0, auth_providers 0, webhook_subscriptions 0.',
        ],
      );
      await insertSealedRows(test.db, createVault(OLD), 1);
      const withoutOther = await runToEnd(['rekey'], settings(NEW));
      assert.equal(withoutOther.code, 1);
      assert.match(
        withoutOther.stderr,
        /^quarry: 4 rows are sealed with another key .* set QUARRY_OTHER_ENCRYPTION_KEY/,
      );
      const { QUARRY_ENCRYPTION_KEY: _, ...without } = settings(NEW, OLD);
      if (test.kind === 'sqlite') renameSync(keyFile(), `${keyFile()}.away`);
      const withoutKey = await runToEnd(['rekey'], without);
      if (test.kind === 'sqlite') renameSync(`${keyFile()}.away`, keyFile());
      assert.equal(withoutKey.code, 1);
      assert.match(withoutKey.stderr, /^quarry: there is no encryption key: .*encryption\.key\n$/);
      assert.equal(await countToMove(test.db, createVault(presentKey())), 4, 'nothing was moved');
    });

    it('[AUTH-39] names the rows that no key opens, moves the others, and fails', async (t) => {
      if (test.url === null) return t.skip('another process cannot reach the database');
      const lost = createVault('a key that somebody has lost for ever');
      const { connections, providers, subscriptions } = await insertSealedRows(test.db, lost, 1);
      const found = await insertSealedRows(test.db, createVault(OLD), 1);
      const broken = must(found.connections[0]);
      await test.db
        .updateTable('connection_tokens')
        .set({ tokens: sealedText('v1.changed') })
        .where('connection_id', '=', broken)
        .execute();
      const run = await runToEnd(['rekey'], settings(NEW, OLD));
      assert.equal(run.code, 1);
      const named = [
        `connections ${connections[0]}`,
        `connection_tokens ${connections[0]}`,
        `connection_tokens ${broken}`,
        `auth_providers ${providers[0]}`,
        `webhook_subscriptions ${subscriptions[0]}`,
      ];
      const lines = run.stderr.split('\n').filter((line) => line.includes('no key opens it'));
      assert.deepEqual(
        lines.toSorted(),
        named.map((row) => `${row}: no key opens it, so it is unchanged`).toSorted(),
      );
      assert.doesNotMatch(run.stderr + run.stdout, /v1\./);
      assert.match(
        run.stdout,
        /connections 2, connection_tokens 1, auth_providers 2, webhook_subscriptions 2\.\n5 rows are sealed with a key that is neither/,
      );
    });
  });

it('quarry rekey says with --help what it needs', async () => {
  const { code, stdout } = await runToEnd(['rekey', '--help']);
  assert.equal(code, 0);
  for (const word of ['QUARRY_ENCRYPTION_KEY', 'QUARRY_OTHER_ENCRYPTION_KEY', '--data-dir'])
    assert.ok(stdout.includes(word), word);
});

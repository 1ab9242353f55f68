/** Real processes go on while a newer version migrates their PostgreSQL, or end, as its migrations say. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { migrate, migrationsOf } from '../../db/migrate.ts';
import { noted } from '../../db/side-by-side.ts';
import { must } from '../../util.ts';
import { openOnOwnServer, type TestDatabase } from '../databases.ts';
import { runToEnd, startServer, TEST_KEY, tempDir } from './process.ts';

const statement = (text: string) => async (db: Kysely<unknown>) =>
  void (await sql.raw(text).execute(db));

const adding = {
  '9998-adding': {
    up: statement('alter table collections add column mood text'),
    isAdditive: true,
  },
} as const;
const taking = {
  '9999-taking': { up: statement('alter table collections drop column mood') },
} as const;
/** A later version of Quarry knows these. */
const newerVersion = noted({ ...migrationsOf('postgres'), ...adding });
const newestVersion = noted({ ...migrationsOf('postgres'), ...adding, ...taking });

describe('processes beside a newer version', () => {
  let test: TestDatabase;
  let dir: ReturnType<typeof tempDir>;
  let env: Record<string, string>;
  before(async () => {
    test = await openOnOwnServer();
    dir = tempDir();
    env = {
      QUARRY_API_KEY: TEST_KEY,
      DATABASE_URL: must(test.url),
      QUARRY_ENCRYPTION_KEY: 'k'.repeat(40),
    };
  });
  after(async () => {
    await test.close();
    dir.remove();
  });
  const start = (name: string) => startServer(join(dir.path, name), { env });

  it('work on and start beside additive migrations, hold up another one, and end when they have missed it', async () => {
    const one = await start('one');
    const other = await start('other');
    try {
      assert.deepEqual(await migrate(test.db, 'postgres', { migrations: newerVersion }), [
        '9998-adding',
      ]);
      assert.equal((await one.call('POST', '/v1/collections', { name: 'Birds' })).status, 200);
      // A process of the older version may start again beside the newer one.
      await other.kill();
      const again = await start('other');
      try {
        const listed = await again.call('GET', '/v1/collections');
        assert.deepEqual(
          listed.body.map(({ name }: { name: string }) => name),
          ['Birds'],
        );
        const backup = await runToEnd(['backup', join(dir.path, 'backup')], env);
        assert.equal(backup.code, 1);
        assert.match(
          backup.stderr,
          /has contents that this version does not know: use that version/,
        );

        await assert.rejects(
          migrate(test.db, 'postgres', { migrations: newestVersion }),
          /9999-taking cannot run beside processes of an older version, and \d are alive: api,worker on/,
        );
        await again.stop();
        // A process that was killed, and one that slept for long, are as if they had ended.
        one.child.kill('SIGSTOP');
        await test.db.updateTable('processes').set({ alive_until: 0 }).execute();
        assert.deepEqual(await migrate(test.db, 'postgres', { migrations: newestVersion }), [
          '9999-taking',
        ]);
        one.child.kill('SIGCONT');
        const exit = await one.exited;
        assert.equal(exit.code, 1);
        assert.match(
          exit.stderr,
          /newer version of Quarry, which has run the migration 9999-taking/,
        );
      } finally {
        await again.kill();
      }
      const late = await runToEnd(['start', '--port', '0', '--no-sample'], {
        ...env,
        QUARRY_DATA_DIR: join(dir.path, 'late'),
      });
      assert.equal(late.code, 1);
      assert.match(
        late.stderr,
        /^quarry: the database is of a newer version of Quarry, which has run the migration 9999-taking: use that version/m,
      );
    } finally {
      await one.kill();
      await other.kill();
    }
  });
});

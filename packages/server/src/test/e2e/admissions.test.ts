/** Several processes send requests under one limit, and are killed while they do. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { put } from '../../rate-limits/store.ts';
import { must, newId } from '../../util.ts';
import { insertOrganization } from '../api/rows.ts';
import { childEnvironment } from '../child-environment.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';

const SENDER = fileURLToPath(new URL('admissions/sender.ts', import.meta.url));
const LIMIT = 300;
/** The first processes are killed when they have sent this many requests. */
const KILLED_AFTER = [20, 35, 50];

for (const database of DATABASES)
  describe(`requests of several processes on ${database.name}`, () => {
    let test: TestDatabase;
    let organization: string;
    before(async () => {
      test = await database.open();
      organization = await insertOrganization(test.db, newId(), {
        feature_flags: JSON.stringify(['SOURCE_RATE_LIMITING']),
      });
      const limit = { source_short_name: 'cloud', max_requests: LIMIT, window_seconds: 3600 };
      await test.db.transaction().execute((tx) => put(tx, organization, limit));
    });
    after(() => test.close());

    /** Runs a process to its end, or until it has sent this many requests. Resolves to the number of requests. */
    async function send(killedAfter = Number.POSITIVE_INFINITY): Promise<number> {
      const env = {
        ...childEnvironment(),
        DATABASE: must(test.url),
        ORGANIZATION: organization,
        CONNECTION: newId(),
      };
      const child: ChildProcess = spawn(process.execPath, ['-C', 'quarry', SENDER], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let sent = 0;
      child.stdout?.on('data', (data: Buffer) => {
        sent += data.toString().split('\n').length - 1;
        if (sent >= killedAfter) child.kill('SIGKILL');
      });
      const [code, signal] = await once(child, 'close');
      const isKilled = killedAfter < Number.POSITIVE_INFINITY;
      assert.deepEqual([code, signal], isKilled ? [null, 'SIGKILL'] : [0, null]);
      return sent;
    }

    it('[LIM-12] [LIM-22] are never more than the limit, although processes are killed', async (t) => {
      if (test.url === null) return t.skip('another process cannot reach the database');
      const killed = await Promise.all(KILLED_AFTER.map(send));
      const others = await Promise.all([send(), send()]);
      const sent = [...killed, ...others].reduce((sum, count) => sum + count, 0);
      const { count } = await test.db
        .selectFrom('source_admissions')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      assert.ok(Number(count) >= LIMIT, 'the window is full');
      // Fewer are sent when a process is killed after an admission, or is so slow that it asks for another one.
      assert.ok(sent <= LIMIT, `${sent} requests were sent`);
    });
  });

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import pino from 'pino';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { until } from '../../test/until.ts';
import { must, newId } from '../../util.ts';
import { watchForCancel } from './cancel.ts';

describe('the watch for a cancel', () => {
  let test: TestDatabase;
  before(async () => {
    const [sqlite] = DATABASES;
    test = await must(sqlite).open();
  });
  after(() => test.close());

  it('looks once at a time, and says once that the database cannot be read', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let looks = 0;
    let answer = Promise.withResolvers<void>();
    /** The database answers a look only when the test lets it. */
    const slow: KyselyPlugin = {
      transformQuery({ node }) {
        looks++;
        return node;
      },
      async transformResult({ result }) {
        await answer.promise;
        return result;
      },
    };
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    const cancelled = new AbortController();
    const db = test.db.withPlugin(slow);
    const timer = watchForCancel({ db, log }, newId(), cancelled);
    const tick = () => t.mock.timers.tick(500);
    const lookAgain = async () => {
      const before = looks;
      await until(() => {
        tick();
        return looks > before;
      });
    };
    try {
      for (let i = 0; i < 5; i++) tick();
      assert.equal(looks, 1);
      const away = () => answer.reject(new Error('the database is away'));
      away();
      for (let i = 0; i < 3; i++) await lookAgain();
      assert.deepEqual(lines, ['cannot look for a cancel']);
      assert.equal(cancelled.signal.aborted, false);
      // A job that does not exist has another status than RUNNING.
      answer = Promise.withResolvers();
      answer.resolve();
      await until(() => {
        tick();
        return cancelled.signal.aborted;
      });
      answer = Promise.withResolvers();
      away();
      for (let i = 0; i < 3; i++) await lookAgain();
      assert.deepEqual(lines, Array(2).fill('cannot look for a cancel'));
    } finally {
      clearInterval(timer);
    }
  });
});

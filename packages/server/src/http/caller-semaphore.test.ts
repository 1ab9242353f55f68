import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { callerOf, createCallerSemaphore } from './caller-semaphore.ts';

const never = new AbortController().signal;
type Request = Pick<FastifyRequest, 'ctx' | 'headers'>;

function from(key: string, signal = never): Request {
  return { headers: { 'x-api-key': key }, ctx: { signal } as FastifyRequest['ctx'] };
}

const person = (id: string): Request => ({
  headers: { authorization: 'Bearer token' },
  ctx: {
    person: 'user:a@b.c',
    account: { id },
    signal: never,
  } as FastifyRequest['ctx'],
});

/** An admin who has signed in by a cookie has no key, and does not search as somebody. */
const admin = (id: string): Request => ({
  headers: { cookie: 'quarry_session=token' },
  ctx: { account: { id }, session: `of ${id}`, signal: never } as FastifyRequest['ctx'],
});

/** Makes work that records its beginning, and ends when the test ends it. */
function works() {
  const begun: string[] = [];
  const open = new Map<string, PromiseWithResolvers<string>>();
  return {
    begun,
    end: (name: string) => open.get(name)?.resolve(name),
    fail: (name: string) => open.get(name)?.reject(new Error(name)),
    start(name: string) {
      const work = Promise.withResolvers<string>();
      open.set(name, work);
      return () => {
        begun.push(name);
        return work.promise;
      };
    },
  };
}

describe('the semaphore', () => {
  it('runs `atOnce` requests of a caller, and the others wait in order', async () => {
    const { begun, start, end } = works();
    const inTurn = createCallerSemaphore({ atOnce: 2, waiting: 10 });
    const answers = ['a', 'b', 'c', 'd'].map((name) => inTurn(from('one'), start(name)));
    await setImmediate();
    assert.deepEqual(begun, ['a', 'b']);
    end('b');
    assert.equal(await answers[1], 'b');
    await setImmediate();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    for (const name of ['a', 'c']) end(name);
    await setImmediate();
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
    end('d');
    assert.deepEqual(await Promise.all(answers), ['a', 'b', 'c', 'd']);
  });

  it('does not let one caller wait for another', async () => {
    const { begun, start, end } = works();
    const inTurn = createCallerSemaphore({ atOnce: 1, waiting: 10 });
    const answers = [
      inTurn(from('one'), start('a')),
      inTurn(from('one'), start('b')),
      inTurn(from('two'), start('c')),
      inTurn(person('x'), start('d')),
      inTurn(person('y'), start('e')),
      inTurn(admin('v'), start('f')),
      inTurn(admin('w'), start('g')),
    ];
    await setImmediate();
    assert.deepEqual(begun, ['a', 'c', 'd', 'e', 'f', 'g']);
    for (const name of begun.slice()) end(name);
    await setImmediate();
    end('b');
    await Promise.all(answers);
  });

  it('[GEN-17] refuses requests beyond `waiting` with a 429, and their work never begins', async () => {
    const { begun, start, end } = works();
    const inTurn = createCallerSemaphore({ atOnce: 1, waiting: 1 });
    const answers = [inTurn(from('one'), start('a')), inTurn(from('one'), start('b'))];
    await assert.rejects(
      inTurn(from('one'), start('c')),
      (error: AppError) =>
        error.status === 429 && error.code === 'too_many_requests' && error.retryAfter === 1,
    );
    end('a');
    await setImmediate();
    end('b');
    await Promise.all(answers);
    assert.deepEqual(begun, ['a', 'b']);
  });

  it('counts only the requests that have not ended', async () => {
    const { begun, start, end } = works();
    const inTurn = createCallerSemaphore({ atOnce: 1, waiting: 1 });
    const names = ['a', 'b', 'c', 'd'];
    const answers = [inTurn(from('one'), start('a'))];
    for (const [i, name] of names.entries()) {
      answers.push(inTurn(from('one'), start(names[i + 1] ?? 'last')));
      await setImmediate();
      assert.deepEqual(begun, names.slice(0, i + 1));
      await assert.rejects(inTurn(from('one'), start('refused')), { status: 429 });
      end(name);
      await setImmediate();
    }
    end('last');
    assert.deepEqual(await Promise.all(answers), begun);
  });

  it('keeps nothing of a caller whose requests have ended', async () => {
    const inTurn = createCallerSemaphore({ atOnce: 1, waiting: 1 });
    const kilobytesAfter = async (callers: number, prefix: string) => {
      for (let i = 0; i < callers; i++) await inTurn(from(`${prefix}${i}`, never), async () => {});
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      return process.memoryUsage().heapUsed / 1024;
    };
    const before = await kilobytesAfter(1000, 'earlier');
    const growth = (await kilobytesAfter(20_000, 'later')) - before;
    assert.ok(growth < 5_000, `${growth.toFixed(0)} KB are kept of 20,000 callers`);
  });

  it('begins the next request when one fails', async () => {
    const { start, end, fail } = works();
    const inTurn = createCallerSemaphore({ atOnce: 1, waiting: 1 });
    const [first, second] = [inTurn(from('one'), start('a')), inTurn(from('one'), start('b'))];
    await setImmediate();
    fail('a');
    await assert.rejects(first, /^Error: a$/);
    await setImmediate();
    end('b');
    assert.equal(await second, 'b');
  });

  it('does not begin the work of a client that disconnected while it waited', async () => {
    const { begun, start, end } = works();
    const inTurn = createCallerSemaphore({ atOnce: 1, waiting: 1 });
    const client = new AbortController();
    const first = inTurn(from('one'), start('a'));
    const second = inTurn(from('one', client.signal), start('b'));
    client.abort(new AppError(499, 'gone', { code: 'client_gone' }));
    await setImmediate();
    end('a');
    await first;
    await assert.rejects(second, { code: 'client_gone' });
    assert.deepEqual(begun, ['a']);
  });

  it('identifies a caller by the key in either header, or as a person', () => {
    assert.equal(
      callerOf(from('k')),
      callerOf({ headers: { authorization: 'Bearer k' }, ctx: {} as FastifyRequest['ctx'] }),
    );
    assert.notEqual(callerOf(from('k')), callerOf(from('l')));
    assert.notEqual(callerOf(person('x')), callerOf(person('y')));
    assert.notEqual(callerOf(admin('x')), callerOf(admin('y')));
    assert.ok(!callerOf(from('a-key-of-somebody')).includes('a-key'));
  });
});

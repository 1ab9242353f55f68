import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AppError } from '../errors.ts';
import { createFairQueue, type FairQueueLimits, type QueuedCall } from './fair-queue.ts';

const never = new AbortController().signal;
const late = (waitedMs: number) =>
  new AppError(503, `stopped after ${waitedMs}`, { code: 'unavailable' });

/** Makes work that records its beginning, and ends when the test ends it. */
function works() {
  const begun: string[] = [];
  const open = new Map<string, PromiseWithResolvers<string>>();
  return {
    begun,
    async end(name: string) {
      open.get(name)?.resolve(name);
      await setImmediate();
    },
    async fail(name: string) {
      open.get(name)?.reject(new Error(name));
      await setImmediate();
    },
    start(name: string) {
      const work = Promise.withResolvers<string>();
      open.set(name, work);
      return (signal: AbortSignal) => {
        begun.push(name);
        signal.addEventListener('abort', () => work.reject(signal.reason));
        return work.promise;
      };
    },
  };
}

const LIMITS: FairQueueLimits = {
  places: () => 1,
  caller: { atOnce: 8, waiting: 1000 },
  deadlineMs: 30_000,
};

describe('the fair queue', () => {
  let now: number;
  let clock: { mock: { restore(): void } };
  let work: ReturnType<typeof works>;

  beforeEach(() => {
    now = 0;
    work = works();
    mock.timers.enable({ apis: ['setTimeout'] });
    clock = mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    clock.mock.restore();
    mock.timers.reset();
  });

  const pass = (ms: number) => {
    now += ms;
    mock.timers.tick(ms);
  };
  const open = (
    over: Partial<FairQueueLimits> = {},
    queue = createFairQueue({ ...LIMITS, ...over }),
  ) => {
    /** The caller and the collection are in the name: `ann/notes first`. */
    return (name: string, more: Partial<QueuedCall> = {}) => {
      const [caller = '', collection = ''] = name.split(/[/ ]/);
      const call = { caller, collections: [collection], signal: never, late, ...more };
      const answer = queue.run(call, work.start(name));
      // A test may look at a refusal only later.
      answer.catch(() => {});
      return answer;
    };
  };
  /** Runs one call that takes so long, so that the queue knows how fast it moves. */
  async function measure(ask: ReturnType<typeof open>, ms: number): Promise<void> {
    const first = ask('measured/m');
    await setImmediate();
    pass(ms);
    await work.end('measured/m');
    await first;
    work.begun.splice(0);
  }
  const endAll = async (count: number) => {
    for (let i = 0; i < count; i++) await work.end(work.begun[i] ?? '');
  };

  it('says how many calls wait, and not how many run', async () => {
    const queue = createFairQueue({
      places: () => 1,
      caller: { atOnce: 1, waiting: 10 },
      deadlineMs: 30_000,
    });
    const ask = (name: string) =>
      queue.run({ caller: name, collections: [], signal: never, late }, work.start(name));
    const answers = ['a', 'b', 'c'].map(ask);
    await setImmediate();
    assert.equal(queue.waiting(), 2);
    await work.end('a');
    assert.equal(queue.waiting(), 1);
    await work.end('b');
    await work.end('c');
    await Promise.all(answers);
    assert.equal(queue.waiting(), 0);
  });

  it('refuses a call whose body has no room beside those that wait, and takes it when they have begun', async () => {
    const ask = open({ waitingBytes: 100 });
    const answers = [ask('a/x 1', { bytes: 90 }), ask('b/x 1', { bytes: 60 })];
    await assert.rejects(ask('c/x 1', { bytes: 41 }), { status: 503, retryAfter: 1 });
    answers.push(ask('c/x 2', { bytes: 40 }));
    await setImmediate();
    await work.end('a/x 1');
    answers.push(ask('d/x 1', { bytes: 60 }));
    await setImmediate();
    await endAll(4);
    assert.equal((await Promise.all(answers)).length, 4);
  });

  it('callers take turns, however many calls one of them sends first', async () => {
    const ask = open();
    const names = ['a/x 1', 'a/x 2', 'a/x 3', 'a/x 4', 'b/x 1', 'c/x 1', 'b/x 2'];
    const answers = names.map((name) => ask(name));
    await setImmediate();
    await endAll(names.length);
    assert.deepEqual(work.begun, ['a/x 1', 'b/x 1', 'c/x 1', 'a/x 2', 'b/x 2', 'a/x 3', 'a/x 4']);
    assert.deepEqual(await Promise.all(answers), names);
  });

  it('a caller with many calls has its turn although other callers come again and again', async () => {
    const ask = open();
    const names = ['a/x 1', 'a/x 2', 'a/x 3'];
    for (const name of names) void ask(name);
    for (let i = 0; i < 6; i++) {
      void ask(`b${i}/x`);
      await setImmediate();
      await endAll(work.begun.length);
    }
    assert.ok(work.begun.includes('a/x 3'), work.begun.join());
  });

  it('collections of one caller take turns', async () => {
    const ask = open();
    const names = ['a/x 1', 'a/x 2', 'a/x 3', 'a/y 1', 'a/z 1'];
    for (const name of names) void ask(name);
    await setImmediate();
    await endAll(names.length);
    assert.deepEqual(work.begun, ['a/x 1', 'a/y 1', 'a/z 1', 'a/x 2', 'a/x 3']);
  });

  it('one collection does not take all places, whoever searches it, and one caller does neither', async () => {
    const ask = open({ places: () => 4, caller: { atOnce: 2, waiting: 9 } });
    for (const name of ['a/x', 'b/x', 'c/x', 'd/x']) void ask(name);
    await setImmediate();
    assert.deepEqual(work.begun, ['a/x', 'b/x', 'c/x']);
    void ask('e/y');
    await setImmediate();
    assert.deepEqual(work.begun, ['a/x', 'b/x', 'c/x', 'e/y']);
    await endAll(5);
    work.begun.splice(0);
    for (const name of ['f/1', 'f/2', 'f/3', 'g/4']) void ask(name);
    await setImmediate();
    assert.deepEqual(work.begun, ['f/1', 'f/2', 'g/4']);
    await endAll(4);
  });

  it('refuses a call at once that could not end before its deadline, says when to come again, and never begins it', async () => {
    const ask = open();
    await measure(ask, 10_000);
    const answers = ['a/x', 'b/x'].map((name) => ask(name));
    // One call runs and one waits, so this one would end after 30 s, and the next one after 40 s.
    void ask('c/x');
    const refused = await ask('d/x').catch((error: unknown) => error);
    assert.ok(refused instanceof AppError);
    assert.deepEqual(
      [refused.status, refused.code, refused.retryAfter],
      [503, 'unavailable', 10],
      refused.message,
    );
    assert.match(refused.message, /was not begun/);
    // The queue is as short as it was said after this time, and the call is taken.
    pass(10_000);
    await work.end('a/x');
    const again = ask('d/x again');
    for (const name of ['b/x', 'c/x', 'd/x again']) {
      pass(9_000);
      await work.end(name);
    }
    assert.deepEqual(await Promise.all([...answers, again]), ['a/x', 'b/x', 'd/x again']);
    assert.ok(!work.begun.includes('d/x'));
  });

  it('a caller with many calls is refused while others are not', async () => {
    const ask = open();
    await measure(ask, 5_000);
    const answers = Array.from({ length: 6 }, (_, i) => ask(`a/x ${i}`));
    await assert.rejects(ask('a/x more'), { status: 503 });
    const other = ask('b/x');
    await setImmediate();
    await endAll(7);
    await Promise.all([...answers, other]);
    assert.equal(work.begun[1], 'b/x');
  });

  it('a call whose deadline passes while it waits is told that it waited, and is not begun', async () => {
    const ask = open();
    const first = ask('a/x');
    pass(1_000);
    const second = ask('b/x');
    await setImmediate();
    pass(29_000);
    await assert.rejects(first, { message: 'stopped after 0' });
    pass(1_000);
    await setImmediate();
    // The place is free from the 30th second on, but this call had one second left.
    await assert.rejects(second, { status: 503, message: /waited for others/ });
    assert.deepEqual(work.begun, ['a/x']);
  });

  it('a call that waited and ran is told how long it waited when it is stopped', async () => {
    const ask = open();
    void ask('a/x');
    const second = ask('b/x');
    await setImmediate();
    pass(10_000);
    await work.end('a/x');
    pass(20_000);
    await assert.rejects(second, { message: 'stopped after 10000' });
  });

  it('a call without an error for its deadline runs beyond it', async () => {
    const asked = { caller: 'a', collections: ['x'], signal: never };
    const queue = createFairQueue({
      places: () => 1,
      caller: { atOnce: 1, waiting: 1 },
      deadlineMs: 100,
    });
    const answer = queue.run(asked, work.start('long'));
    await setImmediate();
    pass(1_000);
    await work.end('long');
    assert.equal(await answer, 'long');
  });

  it('does not take the pace of calls without a deadline for that of the others', async () => {
    const queue = createFairQueue(LIMITS);
    const ask = open({}, queue);
    await measure(ask, 2_000);
    const question = queue.run(
      { caller: 'q', collections: ['x'], signal: never },
      work.start('question'),
    );
    await setImmediate();
    pass(600_000);
    await work.end('question');
    await question;
    work.begun.splice(0);
    const answers = ['a/x', 'b/x', 'c/x', 'd/x'].map((name) => ask(name));
    await setImmediate();
    await endAll(4);
    assert.deepEqual(await Promise.all(answers), ['a/x', 'b/x', 'c/x', 'd/x']);
  });

  it('never says that a caller should wait longer than the deadline', async () => {
    const queue = createFairQueue(LIMITS);
    const long = queue.run({ caller: 'a', collections: ['x'], signal: never }, work.start('long'));
    await setImmediate();
    pass(600_000);
    await work.end('long');
    await long;
    void queue.run({ caller: 'a', collections: ['x'], signal: never }, work.start('next'));
    const ask = open({}, queue);
    const search = ask('b/x');
    const refused = await queue
      .run({ caller: 'c', collections: ['x'], signal: never }, work.start('refused'))
      .catch((error: unknown) => error);
    assert.ok(refused instanceof AppError);
    assert.deepEqual([refused.status, refused.retryAfter], [503, 30]);
    await work.end('next');
    await work.end('b/x');
    assert.equal(await search, 'b/x');
  });

  it('goes on after calls have been so slow that no wait seems short enough', async () => {
    const ask = open();
    await measure(ask, 29_999);
    const first = ask('a/x');
    await setImmediate();
    await assert.rejects(ask('b/x'), { status: 503 });
    await work.end('a/x');
    await first;
    const next = ask('b/x again');
    await work.end('b/x again');
    assert.equal(await next, 'b/x again');
  });

  it('[GEN-17] refuses calls of a caller beyond `waiting` with a 429, and their work never begins', async () => {
    const ask = open({ caller: { atOnce: 1, waiting: 1 } });
    const answers = [ask('a/x 1'), ask('a/x 2')];
    await assert.rejects(ask('a/x 3'), {
      status: 429,
      code: 'too_many_requests',
      retryAfter: 1,
    });
    await setImmediate();
    await endAll(2);
    await Promise.all(answers);
    assert.deepEqual(work.begun, ['a/x 1', 'a/x 2']);
  });

  it('does not begin the work of a client that left while it waited, and others move up', async () => {
    const ask = open();
    const client = new AbortController();
    void ask('a/x');
    const left = ask('b/x', { signal: client.signal });
    const behind = ask('b/x 2');
    await setImmediate();
    client.abort(new AppError(499, 'gone', { code: 'client_gone' }));
    await assert.rejects(left, { code: 'client_gone' });
    await work.end('a/x');
    await work.end('b/x 2');
    assert.equal(await behind, 'b/x 2');
    assert.deepEqual(work.begun, ['a/x', 'b/x 2']);
  });

  it('begins the next call when one fails', async () => {
    const ask = open();
    const [first, second] = [ask('a/x'), ask('b/x')];
    await setImmediate();
    await work.fail('a/x');
    await assert.rejects(first, /^Error: a\/x$/);
    await work.end('b/x');
    assert.equal(await second, 'b/x');
  });

  it('uses further places as soon as another call comes', async () => {
    let places = 1;
    const ask = open({ places: () => places });
    for (const name of ['a/x', 'b/y', 'c/z']) void ask(name);
    await setImmediate();
    places = 8;
    void ask('d/v');
    await setImmediate();
    assert.deepEqual(work.begun.toSorted(), ['a/x', 'b/y', 'c/z', 'd/v']);
    await endAll(4);
  });

  it('keeps nothing of a caller whose calls have ended', async () => {
    mock.timers.reset();
    clock.mock.restore();
    const queue = createFairQueue({
      places: () => 2,
      caller: { atOnce: 1, waiting: 1 },
      deadlineMs: 1_000,
    });
    const kilobytesAfter = async (callers: number, prefix: string) => {
      for (let i = 0; i < callers; i++)
        await queue.run(
          { caller: `${prefix}${i}`, collections: [`${prefix}${i}`], signal: never },
          async () => {},
        );
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      return process.memoryUsage().heapUsed / 1024;
    };
    const before = await kilobytesAfter(1000, 'earlier');
    const growth = (await kilobytesAfter(20_000, 'later')) - before;
    assert.ok(growth < 5_000, `${growth.toFixed(0)} KB are kept of 20,000 callers`);
  });
});

import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { createLog, scrub } from './log.ts';

describe('scrub', () => {
  const key = `quarry_${'a'.repeat(43)}`;
  for (const [what, line, scrubbed] of [
    ['[KEY-04] a key', `{"msg":"no such key ${key}"}`, '{"msg":"no such key quarry_***"}'],
    ['a signing secret', 'with whsec_MfKQ9r8GKYqr+/TwjU= here', 'with whsec_*** here'],
    ['a bearer token', 'authorization: Bearer abc.def-1', 'authorization: Bearer ***'],
    [
      '[AUTH-12] a password in an address',
      'cannot reach postgres://me:hunter2@db.example/x',
      'cannot reach postgres://me:***@db.example/x',
    ],
    ['every key', `${key} ${key}`, 'quarry_*** quarry_***'],
    [
      'every bearer token, however it is written',
      'bearer a/b+c= BEARER x~y',
      'bearer *** BEARER ***',
    ],
    [
      '[AUTH-12] every password in an address, also one without a user',
      'redis://:secret@a postgres://me:hunter2@b',
      'redis://:***@a postgres://me:***@b',
    ],
    ['nothing else', 'https://example.org:8080/a@b', 'https://example.org:8080/a@b'],
  ] as const)
    it(`takes ${what} out of a line`, () => assert.equal(scrub(line), scrubbed));
});

describe('createLog', () => {
  afterEach(() => mock.restoreAll());

  /** Returns the lines that the log writes to standard error. */
  function written(level: string, work: (log: ReturnType<typeof createLog>) => void): string[] {
    const lines: string[] = [];
    mock.method(process.stderr, 'write', (line: string) => lines.push(line));
    work(createLog(level, { pretty: false }));
    mock.restoreAll();
    return lines;
  }

  it('[KEY-04] writes JSON lines, and secrets neither in messages nor in nested errors', () => {
    const key = `quarry_${'k'.repeat(43)}`;
    const cause = new Error('cannot reach postgres://me:hunter2@db/x');
    const [line = '', ...more] = written('info', (log) =>
      log.info({ err: new Error('failed', { cause }), key }, `asked with ${key}`),
    );
    assert.deepEqual(more, []);
    assert.ok(line.endsWith('\n'));
    assert.doesNotMatch(line, /hunter2|kkk/);
    const { time, err, ...fields } = JSON.parse(line);
    assert.equal(typeof time, 'number');
    assert.match(err.message, /failed: cannot reach postgres:\/\/me:\*\*\*@db/);
    assert.deepEqual(fields, { level: 30, key: 'quarry_***', msg: 'asked with quarry_***' });
  });

  it('leaves out entries below its level', () => {
    const all = (log: ReturnType<typeof createLog>) => {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level);
    };
    const said = (level: string) => written(level, all).map((line) => JSON.parse(line).msg);
    assert.deepEqual(said('warn'), ['warn', 'error']);
    assert.deepEqual(said('silent'), []);
  });
});

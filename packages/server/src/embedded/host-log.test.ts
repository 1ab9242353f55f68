import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { hostLog } from './host-log.ts';
import type { EmbeddedLog } from './options.ts';

describe('the log of the program', () => {
  const lines: unknown[] = [];
  const tell = (method: string) => (fields: object, message: string) =>
    lines.push([method, fields, message]);
  const log = Object.fromEntries(
    ['debug', 'info', 'warn', 'error'].map((method) => [method, tell(method)]),
  ) as unknown as EmbeddedLog;

  it('gets each line by the method of its level, with its fields and without secrets', async () => {
    const own = hostLog('debug', log);
    own.debug({ status: 200 }, 'GET /v1/sources');
    own.child({ reqId: 'r1' }).info({ url: 'postgres://me:hunter2@db/x' }, 'it is asked');
    own.warn(`the key quarry_${'k'.repeat(43)} is unknown`);
    own.error({ err: new Error('it broke') }, 'a sync broke');
    own.fatal('Quarry cannot go on');
    await setImmediate();
    const [debug, info, warn, error, fatal] = lines as [string, Record<string, any>, string][];
    assert.deepEqual(debug, ['debug', { status: 200 }, 'GET /v1/sources']);
    const fields = { reqId: 'r1', url: 'postgres://me:***@db/x' };
    assert.deepEqual(info, ['info', fields, 'it is asked']);
    assert.deepEqual(warn, ['warn', {}, 'the key quarry_*** is unknown']);
    assert.deepEqual([error?.[0], error?.[1].err.message], ['error', 'it broke']);
    assert.deepEqual(fatal, ['error', {}, 'Quarry cannot go on']);
  });

  it('gets no line below its level', async () => {
    lines.length = 0;
    hostLog('warn', log).info('it is asked');
    hostLog('silent', undefined).fatal('nobody listens');
    await setImmediate();
    assert.deepEqual(lines, []);
  });
});

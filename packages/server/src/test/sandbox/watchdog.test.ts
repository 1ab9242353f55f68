import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createFunctions, type Functions } from '../../transformers/functions.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const never = new AbortController().signal;

describe('the thread that watches the memory of a limited process', () => {
  let functions: Functions;
  before(() => {
    functions = createFunctions({
      folder: at('./children/'),
      timeoutMs: 10_000,
      memoryMb: 256,
    });
  });
  after(() => functions.close());

  const call = (method: string, config: object) =>
    functions.call(
      { module: at('./children/reach.ts'), method },
      { entities: [{}], config },
      never,
    );

  it('[TRF-18] cannot be reached by a function', async () =>
    assert.deepEqual(await call('reach', {}), []));

  it('[TRF-18] lets a function use the allowed memory, and ends it when it uses more', async () => {
    assert.deepEqual(await call('hold', { megabytes: 64 }), [{ held: 1 }]);
    await assert.rejects(call('hold', { megabytes: 1024 }), /took more than 256 MB of memory/);
  });

  it('[TRF-18] ends the process when the thread itself fails', async () => {
    const child = spawn(
      process.execPath,
      ['--import', at('../../sandbox/watchdog.ts'), at('./children/break-watchdog.mjs'), '1e12'],
      { stdio: 'ignore' },
    );
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  });
});

/** Tests what becomes of limited processes that somebody else ends, and of those that do not start. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createDocumentProcess, type DocumentProcess } from '../../documents/extract-process.ts';
import { until } from '../until.ts';

const child = (name: string) => new URL(`./children/${name}.ts`, import.meta.url);
const never = new AbortController().signal;

/** Returns the ids of the processes that run this child. */
const running = (name: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => commandOf(pid).includes(child(name).pathname))
    .map(Number);

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // The process has just ended.
    return '';
  }
}

const groupOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2]);

describe('a process that reads documents', () => {
  let limited: DocumentProcess;
  afterEach(() => limited.close());

  const start = (name: string, startingMs = 60_000) => {
    limited = createDocumentProcess({
      entry: child(name),
      timeoutMs: 60_000,
      memoryMb: 512,
      documentsPerProcess: 2,
      startingMs,
    });
  };
  const read = (signal = never, size = 1000) =>
    limited.run({ kind: 'html', name: '', size }, Buffer.alloc(size), signal);
  async function started(name: string): Promise<number> {
    let pids: number[] = [];
    await until(async () => {
      pids = running(name);
      return pids.length > 0;
    });
    return Number(pids[0]);
  }

  it('is in a group of its own, which Ctrl-C in a terminal does not reach', async () => {
    start('stuck');
    const reading = read();
    // The end of this test looks at the error. Until then nobody handles it.
    reading.catch(() => {});
    const pid = await started('stuck');
    assert.equal(groupOf(pid), pid);
    await limited.close();
    await assert.rejects(reading, /was closed/);
  });

  it('reads dates without a zone as UTC', async () => {
    start('endless');
    await read(never, 0);
    const environment = readFileSync(`/proc/${await started('endless')}/environ`, 'utf8');
    assert.ok(environment.split('\0').includes('TZ=UTC'), environment);
  });

  it('that somebody ends is no fault of its document', async () => {
    start('endless');
    await read(never, 0);
    const ends = assert.rejects(read(), {
      kind: 'transient',
      message: 'the process that reads documents ended with SIGINT',
    });
    await setImmediate();
    process.kill(await started('endless'), 'SIGINT');
    await ends;
  });

  it('that somebody ends while it is started is no fault of its document', async () => {
    start('stuck');
    const ends = assert.rejects(read(), {
      kind: 'transient',
      message: 'the process that reads documents ended with SIGTERM while it was started',
    });
    process.kill(await started('stuck'), 'SIGTERM');
    await ends;
  });

  it('is given up when it is not ready in time, or its sync ends', async () => {
    start('stuck', 500);
    await assert.rejects(read(), {
      kind: 'transient',
      message: 'the process that reads documents was not ready within 0.5 s',
    });
    assert.deepEqual(running('stuck'), []);
    start('stuck');
    await assert.rejects(read(AbortSignal.timeout(500)), { name: 'TimeoutError' });
    assert.deepEqual(running('stuck'), []);
  });

  it('is ended when what it says first is not a message', async () => {
    start('wrong-beginning');
    await assert.rejects(read(), { name: 'InvalidMessage' });
    assert.deepEqual(running('wrong-beginning'), []);
  });
});

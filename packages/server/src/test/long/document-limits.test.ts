import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import {
  createDocumentProcess,
  type DocumentProcess,
  type DocumentProcessOptions,
} from '../../documents/extract-process.ts';
import { type OpenFile, openFile } from '../../documents/open-file.ts';
import { SourceError } from '../../errors.ts';
import { FORGED } from '../documents/forged.ts';

const DEEDS = {
  spin: 1,
  allocate: 2,
  fillHeap: 3,
  exit: 4,
  environment: 5,
  readFile: 6,
  identity: 7,
  grow: 8,
  silence: 9,
} as const;

const misbehave = new URL('../documents/children/misbehave.ts', import.meta.url);
const extractProcess = new URL('../../documents/extract-process.ts', import.meta.url).href;
const openFileModule = new URL('../../documents/open-file.ts', import.meta.url).href;

describe('the process that reads documents', () => {
  let folder: string;
  let file: OpenFile;
  let limited: DocumentProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-limits-'));
    await writeFile(join(folder, 'document'), 'x'.repeat(100));
    file = await openFile(join(folder, 'document'));
  });
  afterEach(() => limited.close());
  after(async () => {
    await file[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const start = (options: Partial<DocumentProcessOptions> = {}) => {
    limited = createDocumentProcess({
      entry: misbehave,
      timeoutMs: 30_000,
      memoryMb: 256,
      documentsPerProcess: 50,
      ...options,
    });
  };
  const never = new AbortController().signal;
  const run = (deed: keyof typeof DEEDS, signal = never) =>
    limited.run({ kind: 'html', name: '', size: DEEDS[deed] }, file, signal);
  async function answer(deed: keyof typeof DEEDS): Promise<string> {
    const outcome = await run(deed);
    assert.equal(outcome.is, 'text');
    return outcome.is === 'text' ? outcome.text : '';
  }
  const fails = (deed: keyof typeof DEEDS, message: string) =>
    assert.rejects(run(deed), (error) => {
      assert.ok(error instanceof SourceError);
      assert.deepEqual([error.kind, error.message], ['skip', message]);
      return true;
    });

  it('ends with a document that takes too long, and the next one gets a fresh one', async () => {
    start({ timeoutMs: 300 });
    const [first] = (await answer('identity')).split(' ');
    await fails('spin', 'the document took more than 0.3 s to read');
    const [second, answered] = (await answer('identity')).split(' ');
    assert.notEqual(second, first);
    assert.equal(answered, '0');
  });

  it('ends with a document that takes too much memory outside of the heap', async () => {
    start();
    await fails('allocate', 'the document took more than 256 MB of memory to read');
    await answer('identity');
  });

  it('ends with a document that takes too much of the heap', async () => {
    start();
    await fails('fillHeap', 'the document took more than 256 MB of memory to read');
    await answer('identity');
  });

  it('says what a reader can do about it', async () => {
    start({ timeoutMs: 100 });
    await assert.rejects(run('spin'), { hint: 'Split it into smaller documents.' });
  });

  it('costs one document when it ends by itself', async () => {
    start();
    await fails('exit', 'the process that read the document ended with 3');
    await answer('identity');
  });

  it('costs the document when its answer is forged, and the next one gets a fresh process', async () => {
    start({ entry: new URL('../documents/children/forger.ts', import.meta.url) });
    const honest = { kind: 'html', name: '', size: 100 } as const;
    let pid: string | undefined;
    for (const [i, forged] of FORGED.entries()) {
      await assert.rejects(
        limited.run({ kind: 'html', name: '', size: i + 1 }, file, never),
        {
          kind: 'skip',
          message: 'the process that read the document gave an answer that cannot be used',
        },
        forged.toString(),
      );
      const outcome = await limited.run(honest, file, never);
      assert.ok(outcome.is === 'text' && outcome.text !== pid, forged.toString());
      pid = outcome.text;
    }
  });

  it('costs the one document in hand, and not those that wait', async () => {
    start({ timeoutMs: 400 });
    const waiting = [run('spin'), answer('identity'), run('exit'), answer('identity')];
    const ends = (await Promise.allSettled(waiting)).map(({ status }) => status);
    assert.deepEqual(ends, ['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('works beside others, each on one document, and never more of them than allowed', async () => {
    start({ processes: 2 });
    const sync = new AbortController();
    const hanging = run('silence', sync.signal);
    const pids = await Promise.all(
      [1, 2, 3].map(async () => (await answer('identity')).split(' ')),
    );
    // One process hangs, so the other one has answered one request after the other.
    assert.deepEqual(
      [new Set(pids.map(([pid]) => pid)).size, pids.map(([, n]) => n).sort()],
      [1, ['0', '1', '2']],
    );
    const both = Promise.allSettled([hanging, run('silence', sync.signal)]);
    const waiting = answer('identity');
    const first = await Promise.race([waiting, setTimeout(500, 'both processes are busy')]);
    assert.equal(first, 'both processes are busy');
    sync.abort(new Error('cancelled'));
    assert.deepEqual(
      (await both).map((end) => end.status === 'rejected' && end.reason.message),
      ['cancelled', 'cancelled'],
    );
    await waiting;
  });

  it('gives way to the threads that answer searches', async () => {
    start();
    const [pid] = (await answer('identity')).split(' ');
    assert.equal(getPriority(Number(pid)) - getPriority(), 10);
  });

  it('is stopped with its sync', async () => {
    start();
    const [pid] = (await answer('identity')).split(' ');
    const sync = AbortSignal.timeout(200);
    const reading = run('silence', sync);
    const waiting = run('identity', sync);
    await assert.rejects(reading, { name: 'TimeoutError' });
    await assert.rejects(waiting, { name: 'TimeoutError' });
    assert.notEqual((await answer('identity')).split(' ')[0], pid);
  });

  it('[JOB-17] is stopped with a sync that ends while it begins', async () => {
    start({ timeoutMs: 2000 });
    const sync = new AbortController();
    const reading = run('silence', sync.signal);
    // The process has been started by now, but is not ready yet.
    await setImmediate();
    sync.abort(new Error('cancelled'));
    await assert.rejects(reading, { message: 'cancelled' });
    await answer('identity');
  });

  it('knows no environment and reads no file but its code', async () => {
    start();
    assert.equal(await answer('environment'), '');
    assert.equal(await answer('readFile'), 'ERR_ACCESS_DENIED');
  });

  it('serves several documents, but not too many', async () => {
    start({ documentsPerProcess: 2 });
    const all = [await answer('identity'), await answer('identity'), await answer('identity')];
    const [a, b, c] = all.map((one) => one.split(' '));
    assert.deepEqual([a?.[1], b?.[1], c?.[1]], ['0', '1', '0']);
    assert.equal(a?.[0], b?.[0]);
    assert.notEqual(b?.[0], c?.[0]);
  });

  it('is replaced when it holds on to more than half of its memory', async () => {
    start({ memoryMb: 400 });
    const pid = await answer('grow');
    assert.notEqual((await answer('identity')).split(' ')[0], pid);
  });

  it('is missing where it ends at once: no fault of the document', async () => {
    start({ entry: new URL('../documents/children/stillborn.ts', import.meta.url) });
    await assert.rejects(run('identity'), {
      name: 'Error',
      message: 'a limited process ended at once: 7',
    });
  });

  it('fails a file that became shorter while it was read', async () => {
    start();
    await assert.rejects(limited.run({ kind: 'html', name: '', size: 101 }, file, never), {
      kind: 'skip',
      message: 'the file became shorter while it was read',
    });
  });

  it('is gone when it is closed, and so is what waited for it', async () => {
    start();
    const [pid] = (await answer('identity')).split(' ');
    const waiting = [run('spin'), run('identity')];
    const ends = Promise.allSettled(waiting);
    await limited.close();
    for (const end of await ends) {
      assert.equal(end.status, 'rejected');
      assert.equal(end.reason.message, 'the limited process was closed');
    }
    assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
    await assert.rejects(run('identity'), /was closed/);
  });

  it('does not outlive the process that started it', async () => {
    start();
    const script = `
      import { createDocumentProcess } from ${JSON.stringify(extractProcess)};
      import { openFile } from ${JSON.stringify(openFileModule)};
      const entry = new URL(${JSON.stringify(misbehave.href)});
      const limits = { timeoutMs: 60_000, memoryMb: 256, documentsPerProcess: 9 };
      const limited = createDocumentProcess({ entry, ...limits });
      const file = await openFile(process.argv[1]);
      const never = new AbortController().signal;
      const run = (size) => limited.run({ kind: 'html', name: '', size }, file, never);
      const { text } = await run(${DEEDS.identity});
      void run(${DEEDS.spin});
      process.stdout.write(text.split(' ')[0]);`;
    const parent = spawn(
      process.execPath,
      ['--input-type=module', '-e', script, join(folder, 'document')],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [pid] = await once(parent.stdout, 'data');
    const before = cpuTime(Number(pid));
    while (cpuTime(Number(pid)) < before + 30) await setImmediate();
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    const deadline = performance.now() + 5000;
    while (isRunning(Number(pid)) && performance.now() < deadline) await setImmediate();
    assert.equal(isRunning(Number(pid)), false);
  });
});

/** Returns ticks of the processor, of which a process that waits uses none. */
const cpuTime = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11]);

/** Tells whether the process runs. One that has ended may still wait for its parent to notice. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // A process without an entry is gone.
    return false;
  }
}

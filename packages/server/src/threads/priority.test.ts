import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { after, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

const PRIORITY = new URL('./priority.ts', import.meta.url).href;

/** Runs in a thread of its own, tells its number, and stays until it is ended. */
const BODY = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { readlinkSync } = require('node:fs');
  import(workerData.module).then(({ lowerPriority }) => {
    const lines = [];
    for (const steps of workerData.steps) lowerPriority(steps, { info: (...line) => lines.push(line) });
    parentPort.postMessage({ thread: Number(readlinkSync('/proc/thread-self').split('/').at(-1)), lines });
    parentPort.on('message', () => {});
  });`;

describe('the priority of a thread', () => {
  const workers: Worker[] = [];
  after(async () => {
    await Promise.all(workers.map((worker) => worker.terminate()));
  });

  const own = () => Number(readlinkSync('/proc/thread-self').split('/').at(-1));

  async function priorityAfter(...steps: number[]): Promise<number> {
    const worker = new Worker(BODY, { eval: true, workerData: { module: PRIORITY, steps } });
    workers.push(worker);
    const { thread, lines } = await new Promise<{ thread: number; lines: unknown[] }>(
      (resolve, reject) => worker.once('message', resolve).once('error', reject),
    );
    assert.deepEqual(lines, []);
    assert.notEqual(thread, own());
    return getPriority(thread);
  }

  const skip = process.platform !== 'linux' && 'only threads of Linux have one';
  it('is lowered for this thread alone, and not below the lowest', { skip }, async () => {
    const before = getPriority(own());
    const { PRIORITY_LOW } = constants.priority;
    assert.equal(await priorityAfter(5), Math.min(PRIORITY_LOW, before + 5));
    assert.equal(await priorityAfter(15, 15), PRIORITY_LOW);
    assert.equal(getPriority(own()), before);
  });
});

/** Runs the seeds that the pool sends, in a thread that has the clock of the simulation. */
import { parentPort } from 'node:worker_threads';
import { must } from '../../util.ts';
import type { Asked, Told } from './pool.ts';
import { createRunner } from './run-seed.ts';

const port = must(parentPort);
const runner = await createRunner();
port.on('message', async (asked: Asked) => {
  if (asked.kind === 'end') {
    await runner.close();
    port.close();
    return;
  }
  const tell = (told: Told) => port.postMessage(told);
  if (asked.kind === 'run') tell({ seed: asked.seed, failure: await runner.run(asked.seed) });
  else tell({ seed: asked.failure.seed, failure: await runner.shrink(asked.failure) });
});

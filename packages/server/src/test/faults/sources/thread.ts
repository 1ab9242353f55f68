/** Plays the seeds that the pool sends, in a thread that skips waits and has a clock of its own. */
import { workerData } from 'node:worker_threads';
import { serve } from '../serve.ts';
import { createRunner } from './runner.ts';

serve(await createRunner(workerData));

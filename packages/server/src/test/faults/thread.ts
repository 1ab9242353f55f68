/** Runs the seeds that the pool sends, in a thread that has the clock of the simulation. */
import { createRunner } from './run-seed.ts';
import { serve } from './serve.ts';

serve(await createRunner());

/** This child works for as many steps as the document has bytes, and reports its progress after each step. */
import { setTimeout } from 'node:timers/promises';
import type { ExtractOutcome, ExtractRequest } from '../../../documents/extract-protocol.ts';
import { serve } from '../../../sandbox/serve.ts';

/** The parent gives a step of this test six times as long. */
const STEP_MS = 300;

await serve(async ({ size }: ExtractRequest, bytes, onProgress): Promise<ExtractOutcome> => {
  await bytes(size);
  for (let step = 0; step < size; step++) {
    await setTimeout(STEP_MS);
    onProgress();
  }
  return { is: 'text', text: `${size} steps` };
});

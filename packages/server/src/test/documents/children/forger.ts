/** This child of the extractor writes a forged answer, which the size in the request selects. */
import { writeSync } from 'node:fs';
import type { ExtractOutcome, ExtractRequest } from '../../../documents/extract-protocol.ts';
import { serve } from '../../../sandbox/serve.ts';
import { FORGED } from '../forged.ts';

/** This descriptor leads to the parent. */
const ANSWERS = 3;

await serve(async ({ size }: ExtractRequest, bytes): Promise<ExtractOutcome> => {
  await bytes(size);
  const forged = FORGED[size - 1];
  if (forged === undefined) return { is: 'text', text: String(process.pid) };
  writeSync(ANSWERS, forged);
  return new Promise(() => {});
});

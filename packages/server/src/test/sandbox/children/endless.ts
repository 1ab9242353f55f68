/** This child answers a request without bytes, and works on any other without end. */
import { setTimeout } from 'node:timers/promises';
import type { ExtractOutcome, ExtractRequest } from '../../../documents/extract-protocol.ts';
import { serve } from '../../../sandbox/serve.ts';

await serve(async ({ size }: ExtractRequest, bytes): Promise<ExtractOutcome> => {
  await bytes(size);
  if (size > 0) await setTimeout(1_000_000);
  return { is: 'text', text: '' };
});

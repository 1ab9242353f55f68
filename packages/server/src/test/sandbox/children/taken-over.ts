/** This child of the extractor runs the statements in its document. */
import type { ExtractOutcome, ExtractRequest } from '../../../documents/extract-protocol.ts';
import { serve } from '../../../sandbox/serve.ts';
import { obey } from './obey.ts';

await serve(async ({ size }: ExtractRequest, bytes): Promise<ExtractOutcome> => {
  const attempt = JSON.parse(Buffer.from(await bytes(size)).toString());
  const [said = ''] = await obey([attempt], null);
  return { is: 'text', text: said };
});

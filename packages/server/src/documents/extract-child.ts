/** This is the code of the limited process that extracts the text of documents, one at a time. */
import { serve } from '../sandbox/serve.ts';
import { convertFile } from './convert-file.ts';
import type { ExtractRequest } from './extract-protocol.ts';

await serve(async ({ kind, name, size }: ExtractRequest, bytes) =>
  convertFile(kind, name, await bytes(size)),
);

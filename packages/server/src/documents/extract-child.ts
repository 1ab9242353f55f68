/** This is the code of the limited process that extracts the text of documents, one at a time. */
import { serve } from '../sandbox/serve.ts';
import { convertFile } from './convert-file.ts';
import type { ExtractRequest } from './extract-protocol.ts';

await serve(async ({ size, ...request }: ExtractRequest, bytes, onProgress) =>
  convertFile(request, await bytes(size), onProgress),
);

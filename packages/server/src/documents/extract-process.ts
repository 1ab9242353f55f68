/**
 * Runs the limited processes that extract the text of documents. The bytes of a document follow its request.
 */
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { SourceError } from '../errors.ts';
import { codeFolder, isPackage, packageFile } from '../installation.ts';
import { createLimitedProcess } from '../sandbox/limited-process.ts';
import { ProcessBroke } from '../sandbox/process-broke.ts';
import { ExtractOutcome, type ExtractRequest } from './extract-protocol.ts';
import { MAX_OCR_MS } from './ocr/ocr.ts';
import type { OcrSetup } from './ocr/setup.ts';
import type { OpenFile } from './open-file.ts';

const BLOCK_BYTES = 1024 * 1024;

export interface DocumentProcessOptions {
  readonly entry: URL;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The process is replaced by a new one after this many documents. */
  readonly documentsPerProcess: number;
  /** At most this many documents are converted at once, each in a process of its own; 1 if it is left out. */
  readonly processes?: number;
  /** A process may take this time until it is ready. */
  readonly startingMs?: number;
  /** The process may read these files. When they are missing, no text in pictures is recognized. */
  readonly ocr?: OcrSetup | undefined;
}

export interface DocumentProcess {
  /**
   * Throws a SourceError: 'skip' when the document breaks a limit or makes the process crash, 'transient' when the
   * process cannot be started.
   */
  run(
    request: ExtractRequest,
    content: OpenFile | Uint8Array,
    signal: AbortSignal,
  ): Promise<ExtractOutcome>;
  close(): Promise<void>;
}

export function createDocumentProcess({
  documentsPerProcess,
  ocr,
  ...limits
}: DocumentProcessOptions): DocumentProcess {
  const limited = createLimitedProcess<ExtractRequest, ExtractOutcome>({
    outcome: ExtractOutcome,
    ...limits,
    // Recognizing the text of many pages takes long, and each page counts as progress.
    ...(ocr && { longestMs: limits.timeoutMs + MAX_OCR_MS }),
    readable: async () => [...readable(limits.entry), ...(ocr ? filesOf(ocr) : [])],
    mayConnect: false,
    requestsPerProcess: documentsPerProcess,
  });
  return {
    async run(request, content, signal) {
      try {
        return await limited.run(request, signal, (input, settled) =>
          feed(input, blocksOf(content, request.size), settled),
        );
      } catch (error) {
        throw error instanceof ProcessBroke ? errorOfDocument(error) : error;
      }
    },
    close: () => limited.close(),
  };
}

function errorOfDocument(broke: ProcessBroke): SourceError {
  switch (broke.by) {
    case 'gone':
      return new SourceError('transient', `the process that reads documents ${broke.message}`, {
        cause: broke,
      });
    case 'exit':
      return new SourceError('skip', `the process that read the document ${broke.message}`);
    default:
      return new SourceError('skip', `the document ${broke.message} to read`, {
        hint: 'Split it into smaller documents.',
      });
  }
}

/** The process may read only its own code and the packages that it uses. */
function readable(entry: URL): string[] {
  // The package has them in its own code.
  const packages = isPackage
    ? []
    : (createRequire(import.meta.url).resolve.paths('htmlparser2') ?? []);
  const found = packages.filter((path) => existsSync(path));
  return [
    fileURLToPath(codeFolder('')),
    fileURLToPath(packageFile('package.json')),
    fileURLToPath(entry),
    ...found,
    ...found.map((path) => realpathSync(path)),
  ];
}

/** The core reads its WebAssembly and its package.json, which lie beside it. */
const filesOf = ({ core, languages }: OcrSetup): string[] => [
  dirname(core),
  ...languages.map(({ data }) => data),
];

async function feed(
  input: Writable,
  blocks: AsyncIterable<Uint8Array>,
  settled: AbortSignal,
): Promise<void> {
  for await (const block of blocks) {
    if (settled.aborted) return;
    if (!input.write(block)) await drained(input, settled);
  }
}

/** Yields the first `size` bytes, at most BLOCK_BYTES at a time. */
async function* blocksOf(content: OpenFile | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const block = await blockAt(content, at, Math.min(BLOCK_BYTES, size - at));
    if (block.length === 0)
      throw new SourceError('skip', 'the file became shorter while it was read');
    at += block.length;
    yield block;
  }
}

async function blockAt(
  content: OpenFile | Uint8Array,
  at: number,
  most: number,
): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content.subarray(at, at + most);
  const block = Buffer.allocUnsafe(most);
  return block.subarray(0, await content.read(block, at));
}

async function drained(input: Writable, settled: AbortSignal): Promise<void> {
  try {
    await once(input, 'drain', { signal: settled });
  } catch (error) {
    if (!settled.aborted) throw error;
  }
}

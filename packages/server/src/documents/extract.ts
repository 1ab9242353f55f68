/**
 * Extracts the text of a file. Plain text is read here. A file of a kind that needs a parser is
 * parsed in a limited child process, because files may be hostile.
 */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { SourceError } from '../errors.ts';
import { moduleFile } from '../installation.ts';
import type { FileRef } from '../model/entity.ts';
import type { Transcribe } from '../model/transcript.ts';
import { must } from '../util.ts';
import type { Converted } from './convert.ts';
import { decide, HEAD_BYTES, type SkipReason } from './decide.ts';
import { createDocumentProcess } from './extract-process.ts';
import type { ExtractRequest, InnerOutcome } from './extract-protocol.ts';
import { createSharedWork } from './in-progress.ts';
import { inodeOf } from './inode.ts';
import {
  extractVersion,
  NO_OPTIONAL_KINDS,
  type OptionalKinds,
  reasonNotToOpen,
  textDependsOn,
  tooLarge,
  tooMuchText,
  WITHOUT_PARSER,
} from './kinds.ts';
import type { OcrSetup } from './ocr/setup.ts';
import { type OpenFile, openFile } from './open-file.ts';
import { decodeText } from './plain.ts';
import { transcriptToMarkdown } from './recordings.ts';

export type Extracted =
  | ({ readonly kind: 'text' } & ExtractedText)
  | ({ readonly kind: 'skip' } & SkipReason);

export interface ExtractedText extends Converted {
  /** This names the converters that have made the text (`extractVersion`). */
  readonly version: string;
  /** These are the documents inside of the file, a container before what is inside of it. */
  readonly inner?: readonly InnerText[];
  /**
   * This is the SHA-256 of the kind, of the name where the kind's converter reads it, and of the content: two files with
   * the same hash have the same text. It is missing for a file that needs no parser, and where something inside of the
   * file could not be read.
   */
  readonly contentHash?: string;
}

export type InnerText = Omit<InnerOutcome, 'kind'>;

/** Returns the text that was extracted of a file with this hash earlier, or null. */
type FindExtracted = (contentHash: string) => Promise<ExtractedText | null>;

export interface Extractor {
  /**
   * Throws a SourceError: 'skip' for a file that is broken or cannot be read, and 'config' when something of this
   * installation is damaged, which must not count as a fault of the file.
   */
  extract(file: FileRef, signal: AbortSignal, findExtracted?: FindExtracted): Promise<Extracted>;
  /** Extracts the text of HTML that is already in memory, with the limits of an HTML file. */
  extractHtml(html: string, signal: AbortSignal): Promise<Extracted>;
  close(): Promise<void>;
}

export interface ExtractorOptions {
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  /** This many documents are converted at once, at most. */
  readonly processes?: number;
  /** When this is missing, no optional kind is read. */
  readonly optional?: OptionalKinds;
  /** It is missing where text recognition is not installed. */
  readonly ocr?: OcrSetup | undefined;
  /** It is missing where nobody writes down what is spoken in recordings. */
  readonly transcribe?: Transcribe | undefined;
}

const MOST_PROCESSES = 8;

/** One processor is left to the thread that reads, writes and answers. */
const processesHere = () => Math.max(1, Math.min(availableParallelism() - 1, MOST_PROCESSES));

export function createExtractor({
  timeoutMs = 60_000,
  memoryMb = 512,
  processes = processesHere(),
  optional = NO_OPTIONAL_KINDS,
  ocr,
  transcribe,
}: ExtractorOptions = {}): Extractor {
  const limited = createDocumentProcess({
    entry: moduleFile('documents/extract-child'),
    timeoutMs,
    memoryMb,
    documentsPerProcess: 50,
    processes,
    ocr,
  });
  /** A folder may have several copies of a file, which are read at the same time. */
  const sharing = createSharedWork<Conversion>();
  const setup = { ...(optional.size > 0 && { optional: [...optional] }), ...(ocr && { ocr }) };

  async function extract(
    file: FileRef,
    signal: AbortSignal,
    findExtracted: FindExtracted = async () => null,
  ): Promise<Extracted> {
    signal.throwIfAborted();
    const omission = reasonNotToOpen(file.name, file.size, optional);
    if (omission) return skip(omission);
    await using opened = await openFile(file.path);
    return await read(opened, file, { signal, findExtracted });
  }

  async function read(
    file: OpenFile,
    { name, inode, isNamed }: FileRef,
    { signal, findExtracted }: { signal: AbortSignal; findExtracted: FindExtracted },
  ): Promise<Extracted> {
    const stat = await file.stat();
    if (!stat.isFile()) return skip({ reason: 'not a regular file' });
    // Between the check of the path and the opening, another file may have replaced the checked one.
    if (inodeOf(stat) !== inode) throw replacedError();
    const size = Number(stat.size);
    const head = await readBytes(file, Math.min(HEAD_BYTES, size));
    const decided = decide({ name, size, head, ...(isNamed && { isNamed }) }, optional);
    if (!('kind' in decided)) return skip(decided);
    const { kind } = decided;
    if (kind === 'plain') return readPlain(file, head, size);
    const contentHash = await hashOf(file, textDependsOn(kind, name));
    const found = await findExtracted(contentHash);
    if (found) return { kind: 'text', ...found, contentHash };
    const convert = async (): Promise<Conversion> => {
      const [extracted] = await Promise.allSettled([
        kind === 'recording'
          ? listen({ name, size }, file, signal)
          : parse({ kind, name, size }, file, signal),
      ]);
      const now = await file.stat();
      // The file may have changed between the two times that it was read.
      const isSame = now.mtimeNs === stat.mtimeNs && now.ctimeNs === stat.ctimeNs;
      return { file, extracted, isSame };
    };
    const shared = await sharing(signal)(contentHash, convert);
    const isOfCopy = shared.file !== file;
    const { extracted, isSame } = isOfCopy && !shared.isSame ? await convert() : shared;
    if (extracted.status === 'rejected') throw extracted.reason;
    const { value } = extracted;
    return isSame && isWhole(value) ? { ...value, contentHash } : value;
  }

  async function listen(
    about: { readonly name: string; readonly size: number },
    file: OpenFile,
    signal: AbortSignal,
  ): Promise<Extracted> {
    const transcript = await must(transcribe)({ ...about, read: () => file.blocks() }, signal);
    const converted = transcriptToMarkdown(transcript);
    const omission = tooMuchText(converted.text);
    if (omission) return skip(omission);
    return { kind: 'text', ...converted, version: extractVersion(['recording']) };
  }

  async function extractHtml(html: string, signal: AbortSignal): Promise<Extracted> {
    const content = Buffer.from(html);
    const omission = tooLarge('html', content.length);
    if (omission) return skip(omission);
    return parse({ kind: 'html', name: '', size: content.length }, content, signal);
  }

  async function parse(
    request: ExtractRequest,
    content: OpenFile | Uint8Array,
    signal: AbortSignal,
  ): Promise<Extracted> {
    const outcome = await limited.run({ ...request, ...setup }, content, signal);
    if (outcome.is === 'skip') return skip(outcome.omission);
    if (outcome.is === 'misconfigured')
      throw new SourceError('config', outcome.reason, { hint: outcome.hint ?? undefined });
    if (outcome.is === 'broken')
      throw new SourceError('skip', outcome.reason, {
        hint: outcome.hint ?? undefined,
        cause: outcome.error,
      });
    const { is: _, readAs = [], ...text } = outcome;
    const inner = outcome.inner ?? [];
    const kinds = [request.kind, ...readAs, ...inner.map(({ kind }) => kind)];
    const leftOut = inner.filter(({ outcome: { is } }) => is === 'skip').map(({ path }) => path);
    return { kind: 'text', ...text, version: extractVersion(kinds, leftOut, optional) };
  }

  return { extract, extractHtml, close: () => limited.close() };
}

interface Conversion {
  readonly file: OpenFile;
  readonly extracted: PromiseSettledResult<Extracted>;
  /** The file has not changed while it was read. */
  readonly isSame: boolean;
}

/** Returns true when everything inside of the file could be read. */
const isWhole = (extracted: Extracted): extracted is Extracted & { kind: 'text' } =>
  extracted.kind === 'text' &&
  (extracted.inner ?? []).every(({ outcome }) => outcome.is === 'text');

async function hashOf(file: OpenFile, beside: string): Promise<string> {
  const hash = createHash('sha256').update(`${beside}\n`);
  for await (const block of file.blocks()) hash.update(block);
  return hash.digest('hex');
}

const replacedError = () =>
  new SourceError('skip', 'the file cannot be read: another file has replaced it', {
    hint: 'The next sync reads the new file.',
  });

const skip = (omission: SkipReason): Extracted => ({ kind: 'skip', ...omission });

/** `head` are the first bytes of the file, which the caller has already read. */
async function readPlain(file: OpenFile, head: Uint8Array, size: number): Promise<Extracted> {
  const text = decodeText(head) === null ? null : decodeText(await readBytes(file, size));
  if (text === null) return skip({ reason: 'binary' });
  const omission = tooMuchText(text);
  return omission ? skip(omission) : { kind: 'text', text, isPlain: true, version: WITHOUT_PARSER };
}

/** Returns the first `size` bytes, or fewer when the file has become shorter. */
async function readBytes(file: OpenFile, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  while (at < size) {
    const bytesRead = await file.read(bytes.subarray(at), at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/**
 * The programs that read documents: Quarry and its peers. `open` loads one, so that its start is not part of the times.
 * `read` returns what the program makes of a document: Markdown, HTML or text.
 */
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { loadOfficeParser } from './officeparser.ts';
import { run } from './programs.ts';

export interface Reader {
  readonly format: 'gfm' | 'html' | 'text';
  /** These are the extensions of the documents. */
  readonly kinds: readonly string[] | 'all';
  open(): Promise<Read>;
  /** Opens the reader for its fastest form, if `open` opens it for another. */
  openForSpeed?(): Promise<Read>;
}

export type Read = (path: string) => Promise<string>;

/** A reader does not know the kind of the document. */
export class NotRead extends Error {}

const OFFICE = ['docx', 'odt', 'rtf', 'epub', 'html', 'pptx', 'odp', 'xlsx', 'ods', 'pdf'];
const MAX_OUTPUT = 1e9;

export const READERS = {
  Quarry: { format: 'gfm', kinds: 'all', open: openQuarry },
  mammoth: { format: 'html', kinds: ['docx'], open: openMammoth },
  officeparser: {
    format: 'html',
    kinds: OFFICE,
    open: () => openOfficeParser('html'),
    openForSpeed: () => openOfficeParser('text'),
  },
  pandoc: {
    format: 'html',
    kinds: ['docx', 'odt', 'rtf', 'epub', 'html', 'fb2', 'ipynb'],
    open: openPandoc,
  },
  pdftotext: { format: 'text', kinds: ['pdf'], open: openPdfToText },
} as const satisfies Record<string, Reader>;

export type ReaderName = keyof typeof READERS;
export const READER_NAMES = Object.keys(READERS) as readonly ReaderName[];

export const readsKind = (name: ReaderName, path: string): boolean => {
  const { kinds }: Reader = READERS[name];
  return kinds === 'all' || kinds.includes(extname(path).slice(1));
};

/** Calls the converters as the limited process does, in this process. */
async function openQuarry() {
  const { convertFile } = await import('../../packages/server/src/documents/convert-file.ts');
  const { decide, HEAD_BYTES } = await import('../../packages/server/src/documents/decide.ts');
  return async (path: string): Promise<string> => {
    const bytes = await readFile(path);
    const name = basename(path);
    const decided = decide({ name, size: bytes.length, head: bytes.subarray(0, HEAD_BYTES) });
    if (!('kind' in decided)) throw new NotRead(decided.reason);
    if (decided.kind === 'plain' || decided.kind === 'recording')
      throw new NotRead('no converter for this kind');
    const outcome = await convertFile({ kind: decided.kind, name }, bytes, () => {});
    if (outcome.is === 'skip') throw new Error(`${path}: ${outcome.omission.reason}`);
    if (outcome.is !== 'text') throw new Error(`${path}: ${outcome.reason}`);
    const inner = (outcome.inner ?? []).map((one) =>
      one.outcome.is === 'text' ? one.outcome.text : '',
    );
    return [outcome.text, ...inner].join('\n\n');
  };
}

async function openMammoth() {
  const { default: mammoth } = await import('mammoth');
  return async (path: string): Promise<string> => (await mammoth.convertToHtml({ path })).value;
}

async function openOfficeParser(form: 'html' | 'text') {
  const { parseOffice } = await loadOfficeParser();
  return async (path: string): Promise<string> => (await (await parseOffice(path)).to(form)).value;
}

async function openPandoc() {
  return async (path: string): Promise<string> =>
    (await run('pandoc', ['--standalone', '--to=html', path], { maxBuffer: MAX_OUTPUT })).stdout;
}

async function openPdfToText() {
  return async (path: string): Promise<string> =>
    (await run('pdftotext', [path, '-'], { maxBuffer: MAX_OUTPUT })).stdout;
}

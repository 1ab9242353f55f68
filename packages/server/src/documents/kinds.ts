/** Finds the kind of a file by its name and first bytes, and decides whether its text is extracted. */
import { extname } from 'node:path';
import { notReadByName } from './not-read.ts';
import type { Omission } from './omission.ts';

/** Files of these kinds need a parser, which runs in a limited process. */
export type DocumentKind = 'html' | 'pdf' | 'docx';
export type FileKind = DocumentKind | 'plain';

const MB = 1024 * 1024;
const LARGEST_MB: Record<FileKind, number> = { plain: 20, html: 20, pdf: 100, docx: 100 };
export const MAX_CHARACTERS = 10_000_000;
const SNIFFED_BYTES = 1024;

const documents = new Map<string, DocumentKind>([
  ['.htm', 'html'],
  ['.html', 'html'],
  ['.xhtml', 'html'],
  ['.pdf', 'pdf'],
  ['.docx', 'docx'],
]);

const extensions = (list: string) => new Set(list.split(/\s+/).map((one) => `.${one}`));
const WITHOUT_TEXT = extensions(
  `3gp aac ai aif aiff apk avi avif bmp bz2 cab class cr2 cur dds deb dex dll dmg dylib ear elf eot
  exe fla flac flv gguf gif gz heic heif ico icns img ipa iso jar jpe jpeg jpg jxl lz4 lzma m4a m4v
  mid midi mkv mov mp3 mp4 mpeg mpg msi nef o obj ogg ogv onnx opus otf parquet pcap pbm pdb pgm png pnm
  ppm psd pyc pyo qcow2 rar rpm safetensors so sqlite sqlite3 svg svgz swf tar tgz tif tiff ttf vmdk wasm wav
  webm webp whl wma wmv woff woff2 xbm xcf xpm xz zip zst 7z`,
);
/** Returns why a file of this name and size is left out without being opened, or null. */
export function reasonToLeaveOut(name: string, size: number): Omission | null {
  const extension = extname(name).toLowerCase();
  if (WITHOUT_TEXT.has(extension)) return { reason: 'of a kind without text' };
  return notReadByName(name) ?? tooLarge(documents.get(extension) ?? 'plain', size);
}

/** Returns the largest size in bytes of a file of this name that is read. */
export const largestBytes = (name: string): number =>
  LARGEST_MB[documents.get(extname(name).toLowerCase()) ?? 'plain'] * MB;

/** Returns the omission of a file whose size is unknown, because reading it stopped at the limit. */
export const tooLargeFile = (name: string): Omission => ({
  reason: 'too large',
  detail: `more than ${largestBytes(name) / MB} MB`,
});

export function tooLarge(kind: FileKind, size: number): Omission | null {
  const max = LARGEST_MB[kind];
  if (size <= max * MB) return null;
  return { reason: 'too large', detail: `${(size / MB).toFixed(1)} MB, more than ${max} MB` };
}

export const tooMuchText = (text: string): Omission | null =>
  text.length <= MAX_CHARACTERS
    ? null
    : {
        reason: 'with too much text',
        detail: `${text.length} characters, more than ${MAX_CHARACTERS}`,
      };

/**
 * The name decides, with two exceptions. A file with the name of a text is a PDF if its first bytes say so. A file
 * without an extension is HTML if its first bytes say so.
 */
export function kindOf(name: string, head: Uint8Array): FileKind {
  const extension = extname(name).toLowerCase();
  const named = documents.get(extension);
  if (named) return named;
  const start = Buffer.from(head.subarray(0, SNIFFED_BYTES)).toString('latin1').trimStart();
  if (start.startsWith('%PDF-')) return 'pdf';
  if (extension === '' && /^(?:\xef\xbb\xbf)?<(?:!doctype html|html)[\s>]/i.test(start))
    return 'html';
  return 'plain';
}

/** Finds the kind of a file by its name and first bytes, and decides whether its text is extracted. */
import { extname } from 'node:path';
import { sha256 } from '../model/hash.ts';
import type { KindRow } from './kinds/row.ts';
import { type DocumentKind, KINDS } from './kinds/table.ts';
import { notReadByName } from './not-read.ts';
import type { Omission } from './omission.ts';

export type FileKind = DocumentKind | 'plain';

const MB = 1024 * 1024;
const LARGEST_PLAIN_MB = 20;
export const MAX_CHARACTERS = 10_000_000;

const rows: readonly (readonly [DocumentKind, KindRow])[] = Object.entries(KINDS) as [
  DocumentKind,
  KindRow,
][];

const documents = new Map<string, DocumentKind>(
  rows.flatMap(([kind, { extensions }]) =>
    extensions.split(' ').map((extension) => [`.${extension}`, kind] as const),
  ),
);

const extensions = (list: string) => new Set(list.split(/\s+/).map((one) => `.${one}`));
const WITHOUT_TEXT = extensions(
  `3gp aac ai aif aiff apk avi avif bmp bz2 cab class cr2 cur dds deb dex dll dmg dylib ear elf eot
  exe fla flac flv gguf gif heic heif ico icns img ipa iso jar jpe jpeg jpg jxl lz4 lzma m4a m4v
  mid midi mkv mov mp3 mp4 mpeg mpg msi nef o obj ogg ogv onnx opus otf parquet pcap pbm pdb pgm png pnm
  ppm psd pyc pyo qcow2 rar rpm safetensors so sqlite sqlite3 swf tif tiff ttf vmdk wasm wav
  webm webp whl wma wmv woff woff2 xbm xcf xpm xz zst 7z`,
);

/**
 * Names the optional kinds that this installation reads, such as images, each with its largest size in MB. Without it,
 * no optional kind is read.
 */
export type OptionalKinds = ReadonlyMap<DocumentKind, number>;

export const NO_OPTIONAL_KINDS: OptionalKinds = new Map();

/**
 * Returns why a file of this name and size is left out before it is downloaded or unpacked, or null. A file whose name
 * does not say its kind counts as plain text, because most are.
 */
export const reasonToLeaveOut = (
  name: string,
  size: number,
  optional = NO_OPTIONAL_KINDS,
): Omission | null =>
  reasonByName(name, optional) ?? tooLarge(kindByName(name) ?? 'plain', size, optional);

/** Returns why a file of this machine is left out without being opened, or null: its beginning may say its kind. */
export const reasonNotToOpen = (
  name: string,
  size: number,
  optional = NO_OPTIONAL_KINDS,
): Omission | null =>
  kindByName(name)
    ? reasonToLeaveOut(name, size, optional)
    : (reasonByName(name, optional) ?? largerThan(LARGEST_BY_BEGINNING_MB, size));

function reasonByName(name: string, optional: OptionalKinds): Omission | null {
  const kind = kindByName(name);
  if (kind === undefined && WITHOUT_TEXT.has(extensionOf(name))) return { reason: WITHOUT };
  const hint = kind && !optional.has(kind) ? needsOf(kind) : undefined;
  return hint === undefined ? notReadByName(name) : { reason: WITHOUT, hint };
}

const WITHOUT = 'of a kind without text';

const needsOf = (kind: DocumentKind): string | undefined => (KINDS[kind] as KindRow).needs;

const extensionOf = (name: string): string => extname(name).toLowerCase();

const kindByName = (name: string): DocumentKind | undefined => documents.get(extensionOf(name));

/** Returns why a file of this name is left out only because it is inside of another one, such as an archive, or null. */
export const reasonInside = (name: string): Omission | null =>
  kindByName(name) === 'recording' ? RECORDING_INSIDE : null;

/** A recording is transcribed by a model that the process of documents cannot reach. */
export const RECORDING_INSIDE: Omission = {
  reason: WITHOUT,
  detail: 'a recording inside of another file',
  hint: 'Store it as a file of its own: the next sync reads what is spoken.',
};

/** Returns the largest size in bytes of a file of this name that is read. */
export const largestBytes = (name: string, optional = NO_OPTIONAL_KINDS): number =>
  largestBytesOf(kindByName(name) ?? 'plain', optional);

export const largestBytesOf = (kind: FileKind, optional = NO_OPTIONAL_KINDS): number =>
  largestMb(kind, optional) * MB;

const largestMb = (kind: FileKind, optional: OptionalKinds): number =>
  kind === 'plain' ? LARGEST_PLAIN_MB : (optional.get(kind) ?? KINDS[kind].largestMb);

/** A file of another name may be of each of these kinds. */
const LARGEST_BY_BEGINNING_MB = Math.max(
  ...rows.map(([, { recognizes, largestMb }]) => (recognizes ? largestMb : LARGEST_PLAIN_MB)),
);

/** Returns the omission of a file whose size is unknown, because reading it stopped at the limit. */
export const tooLargeFile = (name: string, optional = NO_OPTIONAL_KINDS): Omission =>
  tooLargeOf(kindByName(name) ?? 'plain', optional);

export const tooLargeOf = (kind: FileKind, optional = NO_OPTIONAL_KINDS): Omission => ({
  reason: 'too large',
  detail: `more than ${largestMb(kind, optional)} MB`,
});

export const tooLarge = (
  kind: FileKind,
  size: number,
  optional = NO_OPTIONAL_KINDS,
): Omission | null => largerThan(largestMb(kind, optional), size);

const largerThan = (max: number, size: number): Omission | null =>
  size <= max * MB
    ? null
    : { reason: 'too large', detail: `${(size / MB).toFixed(1)} MB, more than ${max} MB` };

export const tooMuchText = (text: string): Omission | null =>
  text.length <= MAX_CHARACTERS
    ? null
    : {
        reason: 'with too much text',
        detail: `${text.length} characters, more than ${MAX_CHARACTERS}`,
      };

/** The name decides. A file with another name is of the first kind that recognizes its beginning. */
export function kindOf(name: string, beginning: string): FileKind {
  const extension = extensionOf(name);
  return (
    kindByName(name) ??
    rows.find(([, { recognizes }]) => recognizes?.(beginning, extension))?.[0] ??
    'plain'
  );
}

/**
 * Returns the first bytes of a file as a text in which the ASCII characters are right, whatever the encoding of the
 * file is. The zero bytes of UTF-16 and a byte order mark are removed.
 */
export const asciiHeadOf = (head: Uint8Array): string =>
  Buffer.from(head.buffer, head.byteOffset, head.byteLength)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '');

/** Returns what the text of a file of this kind depends on beside its content. */
export const textDependsOn = (kind: DocumentKind, name: string): string =>
  (KINDS[kind] as KindRow).readsName ? `${kind} ${JSON.stringify(name)}` : kind;

/** This is stored as the version of a record that was given as text, or whose file needs no parser. */
export const WITHOUT_PARSER = 'extract-4';

const versionOf = ([kind, { version }]: readonly [string, KindRow]) => `${kind}-${version}`;
const CURRENT: ReadonlySet<string> = new Set([WITHOUT_PARSER, ...rows.map(versionOf)]);

export const isFileKind = (kind: unknown): kind is FileKind =>
  kind === 'plain' || (typeof kind === 'string' && Object.hasOwn(KINDS, kind));

/** After this comes the extension of files that were left out inside of a document, as in `zip-2 inside-png`. */
const INSIDE = 'inside-';

/**
 * Names the versions of the converters that have made the text of a record, such as `eml-1 pdf-2`, and the kinds of files
 * that were left out inside of it, although this or another version may read them once. `leftOut` are their names.
 */
export function extractVersion(
  kinds: readonly FileKind[],
  leftOut: readonly string[] = [],
  optional = NO_OPTIONAL_KINDS,
): string {
  const parsed = kinds.filter((kind) => kind !== 'plain');
  const missing = leftOut.filter((name) => mayBeReadOnce(name, optional));
  const parts = [
    ...parsed.map((kind) => versionOf([kind, KINDS[kind]])),
    ...missing.map((name) => INSIDE + extensionOf(name).slice(1)),
  ];
  return [...new Set(parts)].sort().join(' ') || WITHOUT_PARSER;
}

/** Returns true for a kind that needs something of the operator, or that this version does not read yet. */
function mayBeReadOnce(name: string, optional: OptionalKinds): boolean {
  if (reasonInside(name)) return false;
  const kind = kindByName(name);
  if (kind === undefined) return notReadByName(name) !== null;
  // The pages of a PDF may be pictures.
  if (kind === 'pdf') return !optional.has('image');
  return needsOf(kind) !== undefined && !optional.has(kind);
}

/** Returns true when the same converters would make the text again. */
export const isCurrentExtract = (version: string, optional = NO_OPTIONAL_KINDS): boolean =>
  outdatedKinds(version, optional).length === 0;

/** Returns the kinds of which converters in this version of a text are outdated. */
export const outdatedKinds = (version: string, optional = NO_OPTIONAL_KINDS): string[] =>
  version
    .split(' ')
    .filter((one) =>
      one.startsWith(INSIDE)
        ? !mayBeReadOnce(`a.${one.slice(INSIDE.length)}`, optional)
        : !CURRENT.has(one),
    )
    .map((one) => one.replace(/-[^-]*$/, ''));

/**
 * Names the versions of all converters, and the optional kinds that are read: a new one may read what others have left out.
 */
export const allConverters = (optional = NO_OPTIONAL_KINDS): string =>
  sha256([...CURRENT, ...optional.keys()].join(' ')).slice(0, 12);

/**
 * Finds the parts of a message (MIME, RFC 2046) by their offsets in its bytes; nothing is decoded or copied here. The
 * libraries that exist were not taken: they hold each line of a part as an object of its own, so that a message of 5 MB
 * takes gigabytes, or they make a text of HTML in quadratic time.
 */
import { decodeWords, mainValueOf, parametersOf } from './header-values.ts';
import { type Head, headIn, headOf, lineOf } from './headers.ts';
import type { MailNode } from './structure.ts';

/** A part below more levels is read as a file, and so are the parts after this many. */
const MAX_DEPTH = 30;
const MAX_PARTS = 5000;

export interface Mime {
  readonly root: MailNode;
  readonly head: Head;
  /** These are the bytes of each part without its head, still encoded, by its number. */
  readonly bodies: ReadonlyMap<string, Buffer>;
}

interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

interface MimeReading {
  readonly all: Buffer;
  readonly bodies: Map<string, Buffer>;
}

export function readMime(bytes: Uint8Array): Mime {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const bodies = new Map<string, Buffer>();
  const span = { start: 0, end: all.length };
  const root = nodeOf(span, { all, bodies }, { part: '1', type: 'text/plain', depth: 0 });
  return { root, head: headOf(all), bodies };
}

interface PartPlace {
  readonly part: string;
  /** This is the media type of a part that names none. */
  readonly type: string;
  readonly depth: number;
}

function nodeOf(
  span: ByteSpan,
  reading: MimeReading,
  { part, type: usual, depth }: PartPlace,
): MailNode {
  const { all, bodies } = reading;
  const head = headIn(all, span.start, span.end);
  const { headers } = head;
  const content = headers.get('content-type');
  const parameters = parametersOf(content);
  const named = mainValueOf(content);
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(named) ? named : usual;
  const body = { start: head.end, end: span.end };
  const boundary = parameters.get('boundary') ?? '';
  const isDivided = type.startsWith('multipart/') && boundary !== '' && depth < MAX_DEPTH;
  const inner = isDivided ? [...spansIn(all, body, boundary)] : [];
  const encoded = all.subarray(body.start, body.end);
  bodies.set(part, encoded);
  const disposition = headers.get('content-disposition');
  return {
    part,
    // A multipart that cannot be divided is a file, and its bytes are left to whoever reads files.
    type: type.startsWith('multipart/') && inner.length === 0 ? 'application/octet-stream' : type,
    parameters: withNamesDecoded(parameters),
    disposition: mainValueOf(disposition),
    dispositionParameters: withNamesDecoded(parametersOf(disposition)),
    id: headers.get('content-id'),
    encoding: mainValueOf(headers.get('content-transfer-encoding')) || '7bit',
    size: encoded.length,
    ...(type === 'message/rfc822' && {
      envelope: { subject: lineOf(headOf(encoded), 'subject') },
    }),
    childNodes: inner.flatMap((one, index) => {
      if (bodies.size >= MAX_PARTS) return [];
      const isDigest = type === 'multipart/digest';
      const below = { part: `${part}.${index + 1}`, depth: depth + 1 };
      return nodeOf(one, reading, { ...below, type: isDigest ? 'message/rfc822' : 'text/plain' });
    }),
  };
}

/** RFC 2047, section 5, forbids encoded words in parameters, but many programs write the names of files so. */
const withNamesDecoded = (parameters: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries(
    parameters
      .entries()
      .map(([key, value]) => [key, /^(?:file)?name$/.test(key) ? decodeWords(value) : value]),
  );

const LF = 0x0a;
const CR = 0x0d;

/** Yields the parts between the lines of the boundary, at most MAX_PARTS. */
function* spansIn(all: Buffer, { start, end }: ByteSpan, boundary: string): Generator<ByteSpan> {
  const mark = Buffer.from(`--${boundary}`);
  const searched = all.subarray(0, end);
  let begin: number | null = null;
  let parts = 0;
  for (let at = start; parts < MAX_PARTS; ) {
    const found = searched.indexOf(mark, at);
    if (found === -1) break;
    at = found + mark.length;
    const isLineStart = found === start || all[found - 1] === LF;
    const lineEnd = endOfBoundary(all, at, end);
    if (!isLineStart || lineEnd === null) continue;
    if (begin !== null) {
      parts++;
      yield { start: begin, end: Math.max(begin, withoutBreak(all, found)) };
    }
    begin = lineEnd.isLast ? null : lineEnd.next;
    if (lineEnd.isLast) return;
    at = lineEnd.next;
  }
  // The message is cut off.
  if (begin !== null && parts < MAX_PARTS) yield { start: begin, end };
}

/** The line break before a boundary belongs to the boundary. */
const withoutBreak = (all: Buffer, found: number): number =>
  all[found - 2] === CR ? found - 2 : found - 1;

const MAX_BLANKS = 200;

/** Returns null when more than the boundary stands in the line. */
function endOfBoundary(
  all: Buffer,
  at: number,
  end: number,
): { readonly isLast: boolean; readonly next: number } | null {
  const rest = all.toString('latin1', at, Math.min(end, at + MAX_BLANKS));
  const [line] = /^(?:--)?[ \t]*(?:\r?\n|\r?$)/.exec(rest) ?? [];
  return line === undefined ? null : { isLast: line.startsWith('--'), next: at + line.length };
}

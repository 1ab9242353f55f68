/** Finds the headers of a message, or of a part of one (RFC 5322). */
import { isUtf8 } from 'node:buffer';
import { decodeWords, MAX_HEADER } from './header-values.ts';
import { MAX_NAME, oneLine } from './names.ts';

/** The rest of a longer head is not read. */
const MAX_HEAD = 1024 * 1024;
const MAX_HEADERS = 2000;

export interface Head {
  /** Names are in lower case. Folded lines are joined, and the first header of a name counts. */
  readonly headers: ReadonlyMap<string, string>;
  /** This is the offset of the first byte behind the head and its empty line. */
  readonly end: number;
}

/** Reads the head that begins at `start` of the bytes and ends before `limit`. */
export function headIn(all: Buffer, start: number, limit: number): Head {
  const headers = new Map<string, string>();
  const last = Math.min(limit, start + MAX_HEAD);
  const head = all.subarray(0, last);
  let name = '';
  let pieces: string[] = [];
  let at = start;
  const keep = () => {
    if (name !== '' && !headers.has(name)) headers.set(name, pieces.join('').trim());
    name = '';
    pieces = [];
  };
  for (let lines = 0; at < last; ) {
    const lineEnd = endOfLine(head, at);
    const line = withoutBreak(all, at, lineEnd);
    at = lineEnd;
    if (line === '') {
      keep();
      return { headers, end: at };
    }
    if (/^[ \t]/.test(line)) {
      if (pieces.length < MAX_HEADERS) pieces.push(line);
      continue;
    }
    keep();
    const colon = ++lines <= MAX_HEADERS ? line.indexOf(':') : -1;
    if (colon === -1) continue;
    name = line.slice(0, colon).trim().toLowerCase();
    pieces = [line.slice(colon + 1)];
  }
  keep();
  return { headers, end: at === limit ? limit : behindEmptyLine(all.subarray(0, limit), at) };
}

function endOfLine(head: Buffer, at: number): number {
  const end = head.indexOf(0x0a, at);
  return end === -1 ? head.length : end + 1;
}

/** Returns the beginning of the line. A header may have bytes of any charset. */
function withoutBreak(all: Buffer, start: number, end: number): string {
  const bytes = all.subarray(start, Math.min(end, start + MAX_HEADER));
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replace(/\r?\n$/, '');
}

function behindEmptyLine(part: Buffer, at: number): number {
  const ends = ['\n\n', '\n\r\n'].flatMap((mark) => {
    const found = part.indexOf(mark, at);
    return found === -1 ? [] : found + mark.length;
  });
  return ends.length === 0 ? part.length : Math.min(...ends);
}

/** Returns a header as one line without the encoding of its words, or ''. */
export const lineOf = ({ headers }: Head, name: string): string =>
  oneLine(decodeWords((headers.get(name) ?? '').slice(0, MAX_HEADER)), MAX_NAME);

/** Returns the head of a message. Its body is not read. */
export function headOf(message: Uint8Array): Head {
  const all = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  return headIn(all, 0, all.length);
}

/**
 * Finds the messages of a mailbox file (RFC 4155). A message begins with a line `From …` at the beginning of the file or
 * behind an empty line. Such a line within a message has a `>` before it.
 */
import { isEnvelope } from './recognize.ts';

const FROM = '\nFrom ';
const LINE = 600;

/** Yields the bytes of each message. The bytes are read once from beginning to end. */
export function* messagesIn(bytes: Uint8Array): Generator<Uint8Array> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let begin = firstMessage(all);
  if (begin === null) return;
  let at = begin;
  for (;;) {
    const found = all.indexOf(FROM, at);
    if (found === -1) break;
    at = found + 1;
    if (!isBehindEmptyLine(all, found) || !isEnvelope(lineAt(all, found + 1))) continue;
    yield message(all.subarray(begin, found));
    begin = behindLine(all, found + 1);
    // The line break before the message may be that before the next `From`.
    at = begin - 1;
  }
  yield message(all.subarray(begin, withoutEmptyLine(all, begin)));
}

/** The last message ends like all others, so that it stays the same when others are appended. */
function withoutEmptyLine(all: Buffer, begin: number): number {
  const end = all.at(-1) === LF ? all.length - 1 : all.length;
  return end > begin && end < all.length && isBehindEmptyLine(all, end) ? end : all.length;
}

/** Returns where the first message begins, or null when the file does not begin with a message. */
function firstMessage(all: Buffer): number | null {
  const start = all.toString('latin1', 0, 4096);
  const blank = /^(?:\xef\xbb\xbf)?\s*/.exec(start)?.[0].length ?? 0;
  return isEnvelope(lineAt(all, blank)) ? behindLine(all, blank) : null;
}

const lineAt = (all: Buffer, at: number): string =>
  all.toString('latin1', at, at + LINE).split(/\r?\n/, 1)[0] ?? '';

function behindLine(all: Buffer, at: number): number {
  const end = all.indexOf('\n', at);
  return end === -1 ? all.length : end + 1;
}

const LF = 0x0a;
const CR = 0x0d;

/** `at` is a line break. */
const isBehindEmptyLine = (all: Buffer, at: number): boolean =>
  all[at - 1] === LF || (all[at - 1] === CR && all[at - 2] === LF);

function message(bytes: Buffer): Uint8Array {
  if (!bytes.includes('\n>From ') && !bytes.includes('\n>>')) return bytes;
  const text = bytes.toString('latin1').replaceAll(/^>(>*From )/gm, '$1');
  return Buffer.from(text, 'latin1');
}

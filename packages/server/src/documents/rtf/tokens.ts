/** Divides RTF (Rich Text Format 1.9.1) into its tokens. Any bytes are read, once from beginning to end. */

export type RtfToken =
  | { readonly is: 'open' }
  | { readonly is: 'close' }
  /** A control word such as `par` or `u8364`; `number` is null when it has none. */
  | { readonly is: 'word'; readonly word: string; readonly number: number | null }
  /** A control symbol such as `\~`. */
  | { readonly is: 'symbol'; readonly symbol: string }
  /** Each character is one byte in the encoding of the current font. */
  | { readonly is: 'text'; readonly text: string };

const OPEN: RtfToken = { is: 'open' };
const CLOSE: RtfToken = { is: 'close' };

const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const LF = 0x0a;
const CR = 0x0d;

/** The specification has no longer words and numbers, so the rest of one is read as text. */
const MAX_WORD = 32;
const MAX_NUMBER = 11;

export function* rtfTokens(all: Buffer): Generator<RtfToken> {
  let at = 0;
  while (at < all.length) {
    const byte = all[at];
    if (byte === OPENING || byte === CLOSING) {
      yield byte === OPENING ? OPEN : CLOSE;
      at++;
    } else if (byte === BACKSLASH) {
      const { token, end } = controlAt(all, at + 1);
      yield token;
      at = token.is === 'word' && token.word === 'bin' ? end + Math.max(0, token.number ?? 0) : end;
    } else if (byte === LF || byte === CR) at++;
    else {
      const end = endOfText(all, at);
      yield { is: 'text', text: all.toString('latin1', at, end) };
      at = end;
    }
  }
}

interface Control {
  readonly token: RtfToken;
  readonly end: number;
}

/** `at` is behind the backslash. */
function controlAt(all: Buffer, at: number): Control {
  const wordEnd = endOf(all, at, { isPart: isLetter, most: MAX_WORD });
  if (wordEnd === at) return symbolAt(all, at);
  const word = all.toString('latin1', at, wordEnd);
  const digits = all[wordEnd] === 0x2d ? wordEnd + 1 : wordEnd;
  const numberEnd = endOf(all, digits, { isPart: isDigit, most: MAX_NUMBER });
  const number = numberEnd === digits ? null : Number(all.toString('latin1', wordEnd, numberEnd));
  const end = number === null ? wordEnd : numberEnd;
  // A blank that ends a control word belongs to it.
  return { token: { is: 'word', word, number }, end: all[end] === 0x20 ? end + 1 : end };
}

function symbolAt(all: Buffer, at: number): Control {
  const symbol = all.toString('latin1', at, at + 1);
  if (symbol !== "'") return { token: { is: 'symbol', symbol }, end: at + 1 };
  const code = Number.parseInt(all.toString('latin1', at + 1, at + 3), 16);
  const text = Number.isNaN(code) ? '' : String.fromCharCode(code);
  return { token: { is: 'text', text }, end: at + 3 };
}

interface Run {
  readonly isPart: (byte: number) => boolean;
  readonly most: number;
}

function endOf(all: Buffer, start: number, { isPart, most }: Run): number {
  let at = start;
  while (at < all.length && at - start < most && isPart(all[at] ?? 0)) at++;
  return at;
}

function endOfText(all: Buffer, start: number): number {
  let at = start;
  while (at < all.length && !isControl(all[at] ?? 0)) at++;
  return at;
}

const isControl = (byte: number): boolean =>
  byte === BACKSLASH || byte === OPENING || byte === CLOSING || byte === LF || byte === CR;
const isLetter = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

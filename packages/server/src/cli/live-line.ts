/**
 * Shows one line of progress. On a terminal the line is overwritten; elsewhere a new line is written every few seconds.
 */
const EVERY_MS = 5000;
const CLEAR = '\r\u001b[2K';

/** This is the part of a stream such as `process.stderr` that this file needs. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface LiveLine {
  show(text: string): void;
  /** Removes the line from a terminal. The caller must call this before it writes other text. */
  clear(): void;
}

export function liveLine(out: TerminalStream): LiveLine {
  let nextAt = 0;
  if (out.isTTY)
    return {
      // The width is 0 when the terminal does not know it.
      show: (text) => out.write(CLEAR + cut(plain(text), (out.columns || 80) - 1)),
      clear: () => out.write(CLEAR),
    };
  return {
    show(text) {
      const now = performance.now();
      if (now < nextAt) return;
      nextAt = now + EVERY_MS;
      out.write(`${plain(text)}\n`);
    },
    clear() {},
  };
}

/** Replaces control characters, because text from sources could contain some that control the terminal. */
export const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

/** One line that changes: in place on a terminal, elsewhere a new one every few seconds. */
const EVERY_MS = 5000;
const CLEAR = '\r\u001b[2K';

/** What is written to; `process.stderr` is one. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface LiveLine {
  show(text: string): void;
  /** Other text follows. */
  clear(): void;
}

export function liveLine(out: TerminalStream): LiveLine {
  let nextAt = 0;
  if (out.isTTY)
    return {
      // A terminal that does not know its width says 0.
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

/** What sources say may hold anything, also what steers a terminal. */
export const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

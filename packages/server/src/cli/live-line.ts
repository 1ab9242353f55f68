/** The line changes in place on a terminal; elsewhere a new line is written every few seconds. */
const EVERY_MS = 5000;
const CLEAR = '\r\u001b[2K';

/** The line is written to such a stream; `process.stderr` is one. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface LiveLine {
  show(text: string): void;
  /** Removes the line from a terminal, because other text follows. */
  clear(): void;
}

export function liveLine(out: TerminalStream): LiveLine {
  let nextAt = 0;
  if (out.isTTY)
    return {
      // A terminal that does not know its width reports 0.
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

/** Text that comes from sources may hold any character, also those that control a terminal. */
export const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

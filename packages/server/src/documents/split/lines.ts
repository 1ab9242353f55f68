/** Lines are represented by offsets, so that a text of megabytes is not copied. */

export interface TextLine {
  readonly start: number;
  /** This is the offset of the line feed, or of the end of the text. */
  readonly end: number;
  /** This is the offset after the line feed. */
  readonly next: number;
}

/** Returns the line that begins at `start`. The line ends at `end` at the latest. */
export function lineAt(text: string, start: number, end = text.length): TextLine {
  const found = text.indexOf('\n', start);
  return found < 0 || found >= end
    ? { start, end, next: end }
    : { start, end: found, next: found + 1 };
}

export function* linesOf(text: string, start: number, end: number): Generator<TextLine> {
  while (start < end) {
    const line = lineAt(text, start, end);
    yield line;
    start = line.next;
  }
}

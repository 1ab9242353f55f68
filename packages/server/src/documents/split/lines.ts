/** Lines are given as offsets, so that a text of megabytes is not copied. */

export interface TextLine {
  readonly start: number;
  /** This is the offset before the line feed. */
  readonly end: number;
  /** This is the offset behind the line feed. */
  readonly next: number;
}

/** Returns the line that begins at `start`; text behind `end` does not count. */
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

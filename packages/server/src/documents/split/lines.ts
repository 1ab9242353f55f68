/** Gives lines as offsets, so that a text of megabytes is not copied. */

export interface TextLine {
  readonly start: number;
  /** It is the offset before the line feed. */
  readonly end: number;
  /** It is the offset behind the line feed. */
  readonly next: number;
}

/** Gives the line that begins at `start`; nothing behind `end` counts. */
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

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

const TAB = 4;

/** Returns the offset of the first visible character, and the number of columns before it. */
export function indentation(text: string, line: TextLine): { columns: number; first: number } {
  let columns = 0;
  for (let i = line.start; i < line.end; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 9) columns += TAB;
    else if (unit === 32) columns++;
    else if (unit !== 13) return { columns, first: i };
  }
  return { columns, first: line.end };
}

/**
 * Finds the blocks of Markdown that matter for cutting. Plain text counts as Markdown without marks. Each line is
 * checked a fixed number of times, so the time is linear for every text.
 */
import { lineAt, linesOf, type TextLine } from './lines.ts';

/**
 * `start` and `end` are offsets; `end` is the offset after the line feed. Blank lines between blocks do not belong to a
 * block.
 */
export type Block = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'paragraph' | 'item' | 'front matter' }
  | { readonly kind: 'heading'; readonly level: number; readonly title: string }
  /** `headerEnd` is the end of the header row with the line of dashes below it. */
  | { readonly kind: 'table'; readonly headerEnd: number }
  /**
   * The code is between the two lines of the fence. If the second line is missing, the code goes to the end of the
   * text.
   */
  | { readonly kind: 'fence'; readonly codeStart: number; readonly codeEnd: number }
);

/** A fence may be in the first line of a list item, also of a nested one. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*(`{3,}(?=[^`]*$)|~{3,})/;
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?\r?$/;
const SETEXT = /^ {0,3}(={3,}|-{3,})[ \t\r]*$/;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
const DELIMITERS = /^[ \t>|:-]+\r?$/;
const LONGEST_TITLE_LINE = 400;
const LONGEST_FRONT_MATTER = 20_000;

export function* blocksOf(text: string): Generator<Block> {
  let at = 0;
  const front = frontMatter(text);
  if (front) {
    yield front;
    at = front.end;
  }
  while (at < text.length) {
    const line = lineAt(text, at);
    if (isBlank(text, line)) {
      at = line.next;
      continue;
    }
    const block =
      fence(text, line) ?? atxHeading(text, line) ?? table(text, line) ?? paragraph(text, line);
    yield block;
    at = block.end;
  }
}

const content = (text: string, line: TextLine): string => text.slice(line.start, line.end);
const isBlank = (text: string, line: TextLine): boolean => !/\S/.test(content(text, line));

function frontMatter(text: string): Block | null {
  if (!/^---[ \t]*\r?\n/.test(text)) return null;
  const reach = Math.min(text.length, LONGEST_FRONT_MATTER);
  for (const line of linesOf(text, lineAt(text, 0).next, reach))
    if (/^(?:---|\.\.\.)[ \t]*\r?$/.test(content(text, line)))
      return { kind: 'front matter', start: 0, end: line.next };
  return null;
}

function fence(text: string, line: TextLine): Block | null {
  const mark = FENCE.exec(content(text, line))?.[1];
  if (mark === undefined) return null;
  const whole = { kind: 'fence', start: line.start, codeStart: line.next } as const;
  for (const inner of linesOf(text, line.next, text.length))
    if (closes(content(text, inner), mark))
      return { ...whole, codeEnd: inner.start, end: inner.next };
  return { ...whole, codeEnd: text.length, end: text.length };
}

function closes(line: string, mark: string): boolean {
  const closing = /^[ \t>]*(`{3,}|~{3,})[ \t\r]*$/.exec(line)?.[1];
  return closing !== undefined && closing.length >= mark.length && closing[0] === mark[0];
}

function atxHeading(text: string, line: TextLine): Block | null {
  if (line.end - line.start > LONGEST_TITLE_LINE) return null;
  const found = ATX.exec(content(text, line));
  if (!found) return null;
  const title = (found[2] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, '');
  return { kind: 'heading', start: line.start, end: line.next, level: found[1]!.length, title };
}

function table(text: string, line: TextLine): Block | null {
  if (!startsTable(text, line)) return null;
  const headerEnd = lineAt(text, line.next).next;
  let end = headerEnd;
  for (const row of linesOf(text, headerEnd, text.length)) {
    if (!content(text, row).includes('|')) break;
    end = row.next;
  }
  return { kind: 'table', start: line.start, headerEnd, end };
}

function startsTable(text: string, line: TextLine): boolean {
  if (!content(text, line).includes('|') || line.next >= text.length) return false;
  const dashes = content(text, lineAt(text, line.next));
  return DELIMITERS.test(dashes) && dashes.includes('-') && dashes.includes('|');
}

function paragraph(text: string, first: TextLine): Block {
  const kind = ITEM.test(content(text, first)) ? 'item' : 'paragraph';
  let end = first.next;
  for (const line of linesOf(text, first.next, text.length)) {
    const underline = end === first.next && kind === 'paragraph' && setext(text, first, line);
    if (underline) return underline;
    if (interrupts(text, line)) break;
    end = line.next;
  }
  return { kind, start: first.start, end };
}

/**
 * Recognizes an underlined heading, but only with one line of title: below several lines, a line of dashes is usually a
 * rule.
 */
function setext(text: string, title: TextLine, line: TextLine): Block | null {
  if (title.end - title.start > LONGEST_TITLE_LINE) return null;
  const mark = SETEXT.exec(content(text, line))?.[1];
  if (mark === undefined) return null;
  return {
    kind: 'heading',
    start: title.start,
    end: line.next,
    level: mark[0] === '=' ? 1 : 2,
    title: content(text, title),
  };
}

const interrupts = (text: string, line: TextLine): boolean => {
  const source = content(text, line);
  return (
    isBlank(text, line) ||
    ITEM.test(source) ||
    FENCE.test(source) ||
    (line.end - line.start <= LONGEST_TITLE_LINE && ATX.test(source)) ||
    startsTable(text, line)
  );
};

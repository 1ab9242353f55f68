/**
 * Writes Markdown piece by piece. White space is collapsed. A block, a line or a list is written only when its text
 * comes, so that empty elements write nothing.
 */

/**
 * Deeper levels are written like this level. Otherwise the prefixes of deep levels would make the text grow
 * quadratically.
 */
const DEEPEST_LEVEL = 8;

export interface MarkdownWriter {
  /** Writes running text. */
  text(text: string): void;
  /** Writes lines unchanged, as a block of their own. */
  verbatim(text: string): void;
  /** Makes the next text begin on a new line. */
  newLine(): void;
  /** Makes the next text begin after an empty line, or inside a list on a new line. */
  block(): void;
  /** Begins a level: the first line begins with `marker`, all others with `prefix`. */
  enter(level: { readonly prefix: string; readonly marker: string; readonly list?: boolean }): void;
  leave(): void;
  result(): string;
}

interface Level {
  readonly prefix: string;
  marker: string | null;
  readonly list: boolean;
}

export function createMarkdownWriter(): MarkdownWriter {
  const parts: string[] = [];
  const levels: Level[] = [];
  /** This is the number of open levels below DEEPEST_LEVEL. */
  let flattened = 0;
  let lists = 0;
  /** This is the text of the open line, whose first words alone do not say whether it must be escaped. */
  let line: string[] = [];
  let isBelowText = false;
  let spaceBefore = false;
  /** The next line begins after this many line breaks. */
  let breaks = 0;

  const openLine = (): string[] =>
    line.length === 0 ? [] : [textLine(line.join(''), isBelowText)];

  function newLine(): void {
    parts.push(...openLine());
    line = [];
    breaks = Math.max(breaks, 1);
  }

  function block(): void {
    newLine();
    if (lists === 0) breaks = 2;
  }

  function beginLine(): void {
    if (parts.length > 0) parts.push('\n'.repeat(breaks));
    breaks = 0;
    for (const level of levels) {
      parts.push(level.marker ?? level.prefix);
      level.marker = null;
    }
  }

  function text(data: string): void {
    const words = data.replaceAll(/[\u00AD\u200B]/g, '').replaceAll(/\s+/g, ' ');
    if (words.startsWith(' ')) spaceBefore = true;
    const trimmed = words.trim();
    if (trimmed === '') return;
    if (line.length === 0) {
      isBelowText = breaks === 1;
      beginLine();
    } else if (spaceBefore) line.push(' ');
    line.push(trimmed);
    spaceBefore = words.endsWith(' ');
  }

  function verbatim(lines: string): void {
    block();
    for (const one of lines.split('\n')) {
      beginLine();
      parts.push(one);
      newLine();
    }
    block();
  }

  return {
    text,
    verbatim,
    newLine,
    block,
    enter({ prefix, marker, list = false }) {
      if (levels.length === DEEPEST_LEVEL) flattened++;
      else {
        levels.push({ prefix, marker, list });
        if (list) lists++;
      }
    },
    leave() {
      if (flattened > 0) flattened--;
      else if (levels.pop()?.list) lists--;
    },
    result: () => [...parts, ...openLine()].join(''),
  };
}

const HEADING = /^#{1,6}(?:[ \t]|$)/;
const QUOTE = /^>/;
const FENCE = /^((?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*)(?:```|~~~)/;
const UNDERLINE = /^(?:=+|-+)$/;
const RULE = /^-{3,}$/;
const UNDER_TABLE_HEADER = /^(?=.*-)(?=.*\|)[ \t|:-]+$/;

/**
 * Escapes a line so that Markdown reads it as text, even when it would begin a heading, a quote, a table or code. Items
 * of lists stay items. The line must not begin or end with white space. `isBelowText` says that the line above belongs
 * to the same paragraph; then a line of dashes would turn that paragraph into a heading.
 */
export function textLine(line: string, isBelowText: boolean): string {
  const fence = FENCE.exec(line);
  if (fence) return `${fence[1]}\\${line.slice(fence[1]!.length)}`;
  const isMark =
    HEADING.test(line) ||
    QUOTE.test(line) ||
    RULE.test(line) ||
    (isBelowText && (UNDERLINE.test(line) || UNDER_TABLE_HEADER.test(line)));
  return isMark ? `\\${line}` : line;
}

/** Writes names as items of a list, in which no name becomes something else. `all` counts those that are not listed, too. */
export function listOfNames(names: readonly string[], all: number): string {
  const items = names.map((name) => textLine(`- ${name}`, false));
  const rest = all - names.length;
  return [...items, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n');
}

/** Returns a code block with the program text. Its fence has more backticks than any run of backticks in the text. */
export function fenced(code: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code, '`') + 1));
  return `${fence}${language}\n${code}\n${fence}`;
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    run = text[i] === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

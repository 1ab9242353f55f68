/**
 * Writes Markdown piece by piece: white space is collapsed, and a block, a line or a list begins only
 * when text comes, so that empty elements leave no trace.
 */

/** Deeper levels are written like this one: prefixes that grow without end would square the text. */
const DEEPEST_LEVEL = 8;

export interface MarkdownWriter {
  /** Running text. */
  text(text: string): void;
  /** Lines as they are, as a block of their own. */
  verbatim(text: string): void;
  /** What follows begins on a new line. */
  newLine(): void;
  /** What follows begins after an empty line, in a list on a new line. */
  block(): void;
  /** Lines begin with `prefix`, the first one with `marker` in its place. */
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
  let flattened = 0;
  let lists = 0;
  let inLine = false;
  let spaceBefore = false;
  let breaks = 0;

  function newLine(): void {
    inLine = false;
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
    inLine = true;
  }

  function text(data: string): void {
    const words = data.replaceAll(/[\u00AD\u200B]/g, '').replaceAll(/\s+/g, ' ');
    if (words.startsWith(' ')) spaceBefore = true;
    const trimmed = words.trim();
    if (trimmed === '') return;
    if (inLine) {
      if (spaceBefore) parts.push(' ');
      parts.push(trimmed);
    } else {
      beginLine();
      parts.push(looksLikeMarkup(trimmed) ? `\\${trimmed}` : trimmed);
    }
    spaceBefore = words.endsWith(' ');
  }

  function verbatim(lines: string): void {
    block();
    for (const line of lines.split('\n')) {
      beginLine();
      parts.push(line);
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
    result: () => parts.join(''),
  };
}

/** A heading or a fence, where a paragraph was meant. */
const looksLikeMarkup = (line: string) => /^(?:#{1,6}(?: |$)|```|~~~)/.test(line);

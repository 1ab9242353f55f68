/**
 * Finds the definitions of program text by their first lines and by the indentation, without a grammar of the language.
 * A definition begins with the comments and decorators directly above it. It ends before the next line that does not
 * have more indentation. Each line is looked at a fixed number of times, so the time is linear for every text.
 */
import { definedIn } from './definition-head.ts';
import type { Family, ProgramLanguage } from './languages.ts';
import { indentation, linesOf, type TextLine } from './lines.ts';

export interface Definition {
  /** `start` and `end` are offsets of whole lines; the comments above the definition belong to it. */
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** A line is looked at up to this length. */
const LONGEST_LINE = 400;

/** Returns the definitions in the order in which they begin, so that one that encloses others comes before them. */
export function definitionsIn(text: string, language: ProgramLanguage): readonly Definition[] {
  const { family } = language;
  const outline = createOutline(text.length);
  let quote: RegExp | null = null;
  for (const line of linesOf(text, 0, text.length)) {
    const { columns, first } = indentation(text, line);
    const shape = text.slice(first, Math.min(line.end, first + LONGEST_LINE));
    const indented = { ...line, columns };
    if (quote) {
      if (quote.test(text.slice(line.start, line.end))) quote = null;
      outline.goOn(indented);
      continue;
    }
    if (first === line.end) {
      outline.blank();
      continue;
    }
    quote = quoteIn(shape, { ...language, isIndented: columns > 0 });
    if (CONTINUES.test(shape)) outline.bracket(indented, CLOSES.test(shape));
    else if (AT_MARGIN[family]?.test(shape)) outline.goOn(indented);
    else {
      const head = { text: shape, isIndented: columns > 0, below: () => linesBelow(text, line) };
      const title = isComment(shape, family) ? null : definedIn(head, family);
      if (title !== null) outline.define(indented, title);
      else outline.other(indented, isLead(shape, family));
    }
  }
  return outline.definitions();
}

/** The end of an open definition is not known yet. */
interface GrowingDefinition extends Omit<Definition, 'end'> {
  end: number;
}

interface IndentedLine extends TextLine {
  readonly columns: number;
}

/** Keeps the definitions that are open at a line, and where the comments above the line begin. */
function createOutline(length: number) {
  const found: GrowingDefinition[] = [];
  const open: { readonly definition: GrowingDefinition; readonly columns: number }[] = [];
  let lead: { readonly start: number; readonly columns: number } | null = null;
  let end = 0;
  const close = (columns: number) => {
    while (open.length > 0 && open.at(-1)!.columns >= columns) open.pop()!.definition.end = end;
  };
  const beginning = ({ start, columns }: IndentedLine) =>
    lead?.columns === columns ? lead.start : start;
  return {
    blank() {
      lead = null;
    },
    /** The line belongs to the open definitions, whatever its indentation is. */
    goOn(line: IndentedLine) {
      end = line.next;
    },
    bracket(line: IndentedLine, closes: boolean) {
      end = line.next;
      if (closes) close(line.columns);
      lead = null;
    },
    define(line: IndentedLine, title: string) {
      close(line.columns);
      const definition = { start: beginning(line), end: length, title };
      found.push(definition);
      open.push({ definition, columns: line.columns });
      lead = null;
      end = line.next;
    },
    other(line: IndentedLine, leads: boolean) {
      close(line.columns);
      lead = leads ? { start: beginning(line), columns: line.columns } : null;
      end = line.next;
    },
    definitions() {
      close(0);
      return found;
    },
  };
}

/** A line that begins so goes on with the definition above it. */
const CONTINUES = /^(?:[)}\]{:,>]|end\b(?!\s*[=([:])|where\b)/;
const CLOSES = /^(?:[)}\]]+[;,)]*\s*$|end\b)/;
/** Directives of a preprocessor and labels stand at the margin, also within definitions. */
const AT_MARGIN: Partial<Record<Family, RegExp>> = {
  types: /^(?:#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|include|pragma)\b|\w+:\s*$)/,
  script: /^\w+:\s*$/,
};
const COMMENT = /^(?:\/\/|\/\*|\*|--)/;
/** A private method of JavaScript begins with the sign of other languages' comments. */
const NUMBER_SIGN = /^#(?![\w$]+\s*\()/;
const ATTRIBUTE = /^(?:@|\[|template\b)/;
/** The type of a function may have a line of its own. */
const TYPE_ALONE = /^[A-Za-z_][\w:<>*& ]{0,80}\s*$/;

const isComment = (shape: string, family: Family): boolean =>
  COMMENT.test(shape) || (family === 'script' ? NUMBER_SIGN.test(shape) : shape.startsWith('#'));

/** Returns true for a line that belongs to the definition below it. */
const isLead = (shape: string, family: Family): boolean =>
  isComment(shape, family) ||
  ATTRIBUTE.test(shape) ||
  (family === 'types' && TYPE_ALONE.test(shape));

/** Returns what ends the comment or string of several lines that begins in this line. */
function quoteIn(
  shape: string,
  language: ProgramLanguage & { readonly isIndented: boolean },
): RegExp | null {
  if (language.hasBlockComments && shape.startsWith('/*'))
    return shape.includes('*/', 2) ? null : /\*\//;
  if (language.hasParagraphs && !language.isIndented && /^=[a-z]/.test(shape))
    return /^=(?:cut|end)\b/;
  if (!language.hasTripleQuotes || isComment(shape, language.family)) return null;
  // Three quotes within other quotes are a short string.
  const quotes = /(?<!['"])(?:"""|''')/.exec(shape);
  if (!quotes || shape.includes(quotes[0], quotes.index + 3)) return null;
  return new RegExp(quotes[0]);
}

/** A head may go on for this many lines. */
const MOST_LINES = 20;

function linesBelow(text: string, line: TextLine): string {
  const limit = Math.min(text.length, line.next + MOST_LINES * LONGEST_LINE);
  let end = line.next;
  for (let i = 0; i < MOST_LINES && end < limit; i++) {
    const feed = text.indexOf('\n', end);
    end = feed < 0 ? limit : Math.min(feed + 1, limit);
  }
  return text.slice(line.next, end);
}

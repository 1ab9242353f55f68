/**
 * Takes the text of a chunk apart into statements: the sentences, items, rows and lines that an answer may quote, word
 * for word. Headings, anchors, fences, table headers and lists of contents are not statements, because they tell
 * nothing by themselves; the headings and headers tell what the statements below them are about.
 */
import { beginningOf } from '../../util.ts';

export interface Statement {
  /** The text stands in the chunk exactly as it is here, unless it was too long and is only its beginning. */
  readonly text: string;
  /** These are the last heading above the statement, and the line that introduces its list, table or code. */
  readonly above: string;
  readonly isCode: boolean;
}

/** A longer statement is quoted up to the last word that fits. */
const LONGEST = 400;

const WORD = /[\p{L}\p{N}]/u;
const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^\s*(?:#{1,6}\s|<h[1-6][\s>])/i;
/** A row of a table has bars between its cells, and a rule of dashes follows the header. */
const ROW = /^\s*\|.*\||\s\|\s.*\s\|\s/;
const RULE = /^[\s:|-]+$/;
/** A line with such a beginning does not continue the sentence of the line before it. */
const BEGINS = /^\s*(?:[-*+|]|\d+[.)])\s/;
/** A record of an app is often a list of fields: "Status: negotiation". */
const FIELD = /^\p{Lu}[\p{L}\p{N} '/()-]{0,30}: \S/u;
/** The marks of a list, a quotation or a table, and the end of an emphasis, carry no meaning in a quote. */
const MARKS = /^(?:(?:[-+>|]|[*_]+|\d+[.)])\s+)+/;
const TAGS = /<[!/a-z][^<>]*>/gi;
/** An item that is nothing but a link is an entry of a list of contents. */
const LINK_ONLY = /^\[[^\]]*\]\([^)\s]*\)[.:]?$/;
/** Chapters of books begin with their contents: "Squally weather--High living--At Gibraltar". */
const CONTENTS_DASHES = 3;

interface StatementBlock {
  text: string;
  readonly above: string;
  readonly isCode: boolean;
}

/** Returns the statements in the order of the text. */
export function statementsOf(markdown: string): Statement[] {
  return blocksOf(markdown).flatMap(({ text, above, isCode }) => {
    const pieces = isCode ? [text] : sentencesOf(text);
    return pieces
      .map((piece) => piece.trim().replace(MARKS, ''))
      .filter((piece) => isStatement(piece, isCode))
      .map((piece) => ({ text: shorten(piece), above, isCode }));
  });
}

function isStatement(piece: string, isCode: boolean): boolean {
  if (isCode) return WORD.test(piece);
  return (
    WORD.test(piece.replace(TAGS, '')) &&
    !LINK_ONLY.test(piece) &&
    piece.split('--').length <= CONTENTS_DASHES
  );
}

/** Joins lines that belong together: a sentence may run over several lines of a paragraph, but not of code. */
function blocksOf(markdown: string): StatementBlock[] {
  const blocks: StatementBlock[] = [];
  const lines = markdown.split('\n');
  let isCode = false;
  /** The last block, if the next line may go on with it. */
  let open: StatementBlock | undefined;
  let heading = '';
  let intro = '';
  const begin = (text: string): StatementBlock => {
    const block = { text, above: `${heading}\n${intro}`, isCode };
    blocks.push(block);
    return block;
  };
  for (const [i, line] of lines.entries()) {
    const kind = kindOf(line, lines[i + 1] ?? '', isCode);
    if (kind === 'text' && open) {
      open.text += `\n${line}`;
      continue;
    }
    open = undefined;
    switch (kind) {
      case 'fence':
        isCode = !isCode;
        intro ||= introIn(blocks);
        break;
      case 'heading':
        heading = line.replace(TAGS, '').replace(/^[\s#]+/, '');
        intro = '';
        break;
      case 'header':
        intro = line;
        break;
      case 'code':
        begin(line);
        break;
      case 'item':
        intro ||= introIn(blocks);
        open = begin(line);
        break;
      case 'text':
        intro = '';
        open = begin(line);
        break;
    }
  }
  return blocks;
}

type LineKind = 'fence' | 'code' | 'heading' | 'header' | 'item' | 'text' | 'nothing';

/**
 * `header` is the header of a table. A line of the kind `nothing` has no words to quote. A line of the kind `text` may
 * continue the line before it.
 */
function kindOf(line: string, next: string, isCode: boolean): LineKind {
  if (FENCE.test(line)) return 'fence';
  if (isCode) return WORD.test(line) ? 'code' : 'nothing';
  if (HEADING.test(line)) return 'heading';
  if (ROW.test(line) && isRule(next)) return 'header';
  if (!WORD.test(line.replace(TAGS, ''))) return 'nothing';
  return BEGINS.test(line) || FIELD.test(line) || ROW.test(line) ? 'item' : 'text';
}

const isRule = (line: string): boolean => RULE.test(line) && line.includes('-');

/** Returns the last line if it introduces what follows, such as "The plans are:". */
const introIn = (blocks: readonly StatementBlock[]): string => {
  const last = blocks.at(-1)?.text.trimEnd() ?? '';
  return last.endsWith(':') ? last : '';
};

const sentencesIn = new Intl.Segmenter('en', { granularity: 'sentence' });
/** A full stop after these does not end a sentence: titles of persons, initials and a few abbreviations. */
const ABBREVIATED =
  /(?:^|[\s("'_*])(?:dr|mr|mrs|ms|prof|st|mt|capt|lt|col|gen|rev|hon|no|nr|vs|cf|fig|approx|e\.g|i\.e|z\.b|d\.h|p\.ex|\p{Lu})\.["'_*]*\s*$/iu;

/** A sentence may run over the end of a line. */
function sentencesOf(block: string): string[] {
  const sentences: string[] = [];
  let open = false;
  for (const { index, segment } of sentencesIn.segment(block.replaceAll('\n', ' '))) {
    const piece = block.slice(index, index + segment.length);
    if (open) sentences[sentences.length - 1] += piece;
    else sentences.push(piece);
    open = goesOnAfter(sentences[sentences.length - 1]!);
  }
  return sentences;
}

/** Returns true if a sentence goes on: after an abbreviation, or within a link of Markdown. */
function goesOnAfter(sentence: string): boolean {
  if (ABBREVIATED.test(sentence.slice(-12))) return true;
  const link = sentence.lastIndexOf('[');
  return link >= 0 && /^\[[^\]]*$|^\[[^\]]*\]\([^)\s]*$/.test(sentence.slice(link).trimEnd());
}

function shorten(statement: string): string {
  if (statement.length <= LONGEST) return statement;
  const cut = statement.slice(0, LONGEST + 1).search(/\s\S*$/);
  return beginningOf(statement, cut > 0 ? cut : LONGEST);
}

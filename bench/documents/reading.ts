/** The common form of what a reader has understood of a document. It is made by pandoc of Markdown and HTML. */
import { pandocJson } from './programs.ts';
import { wordsIn } from './words.ts';

export interface Reading {
  /** These are all words in the order of the reader. */
  readonly words: readonly string[];
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  /** These are tables of rows of cells. */
  readonly tables: readonly (readonly (readonly string[])[])[];
  /** These are the lines of a text without tables. */
  readonly lines: readonly string[];
}

/** Returns a reading without headings and tables. */
export const readingOfText = (text: string): Reading => ({
  words: wordsIn(text),
  headings: [],
  tables: [],
  lines: text.split('\n'),
});

export async function readingOf(
  format: string,
  document: { readonly path: string } | { readonly text: string },
): Promise<Reading> {
  const { blocks, meta } = (await pandocJson(format, document)) as {
    blocks: unknown;
    meta: unknown;
  };
  const headings: { level: number; text: string }[] = [];
  const tables: string[][][] = [];
  // The title is data about the document for pandoc.
  const title = textIn((meta as { readonly title?: unknown }).title);
  for (const { t, c } of elementsIn(blocks)) {
    const parts = c as readonly unknown[];
    if (t === 'Header') headings.push({ level: parts[0] as number, text: textIn(parts[2]) });
    if (t === 'Table') tables.push(rowsIn(parts));
  }
  const text = `${title}\n${textIn(blocks)}`;
  return { ...readingOfText(text), headings, tables };
}

interface Element {
  readonly t: string;
  readonly c?: unknown;
}

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && 't' in value;

/** Yields the elements of a tree of pandoc, each before those inside of it. */
function* elementsIn(value: unknown): Generator<Element> {
  if (isElement(value)) {
    yield value;
    yield* elementsIn(value.c);
  } else if (Array.isArray(value)) for (const one of value) yield* elementsIn(one);
}

/** These are the elements with text of their own: their last part is the text. */
const WITH_TEXT = new Set(['Str', 'Code', 'CodeBlock', 'Math', 'RawInline', 'RawBlock']);
/** Lines do not run over the ends of other elements than these. */
const IN_LINES = new Set(
  [
    'Str',
    'Emph',
    'Strong',
    'Underline',
    'Strikeout',
    'Superscript',
    'Subscript',
    'SmallCaps',
  ].concat(['Quoted', 'Link', 'Span', 'Code']),
);

function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textIn).join('');
  if (typeof value !== 'object' || value === null) return '';
  if (!isElement(value)) return Object.values(value).map(textIn).join(' ');
  const { t, c } = value;
  if (t === 'Space') return ' ';
  if (!WITH_TEXT.has(t)) return IN_LINES.has(t) ? textIn(c) : `\n${textIn(c)}\n`;
  return String(Array.isArray(c) ? c.at(-1) : c);
}

/** A table has a head, bodies and a foot, whose rows have attributes and cells. See Text.Pandoc.Definition of pandoc-types. */
function rowsIn([, , , head, bodies, foot]: readonly unknown[]): string[][] {
  const ofPart = (part: unknown) => (part as readonly [unknown, Row[]])[1];
  const ofBody = (body: unknown) => {
    const [, , heads, rows] = body as readonly [unknown, unknown, Row[], Row[]];
    return [...heads, ...rows];
  };
  const rows = [
    ...ofPart(head),
    ...(bodies as readonly unknown[]).flatMap(ofBody),
    ...ofPart(foot),
  ];
  return rows.map(([, cells]) => cells.flatMap(cellTexts));
}

type Cell = readonly [
  attributes: unknown,
  alignment: unknown,
  rows: number,
  columns: number,
  blocks: unknown,
];
type Row = readonly [attributes: unknown, cells: Cell[]];

/** A cell over several columns is followed by empty ones. */
function cellTexts([, , , columns, blocks]: Cell): string[] {
  return [textIn(blocks).trim(), ...Array.from({ length: columns - 1 }, () => '')];
}

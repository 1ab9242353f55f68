/** Makes the sources of the documents from a seed: what is in them, before any program has written it into a file. */
import { createWords, type Words } from './words.ts';

export type Block =
  | { readonly is: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly is: 'paragraph'; readonly text: string; readonly note?: string }
  | { readonly is: 'list'; readonly isOrdered: boolean; readonly items: readonly Item[] }
  | { readonly is: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly is: 'code'; readonly lines: readonly string[] };

export interface Item {
  readonly text: string;
  readonly items: readonly Item[];
}

export type Shape = 'text' | 'slides' | 'sheet';

export interface Source {
  readonly shape: Shape;
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Heading = Extract<Block, { is: 'heading' }>;
export type Table = Extract<Block, { is: 'table' }>;

/** `size` is the number of chapters, of groups of slides, or of tens of rows. */
export function makeSource(shape: Shape, seed: number, size: number): Source {
  const words = createWords(seed);
  const title = words.text(4);
  if (shape === 'sheet') return { shape, title: '', blocks: [table(words, 10 * size, 6)] };
  const part = shape === 'slides' ? slides : chapter;
  return { shape, title, blocks: Array.from({ length: size }, () => part(words)).flat() };
}

function chapter(words: Words): Block[] {
  return [
    heading(words, 1),
    paragraph(words, 60),
    heading(words, 2),
    paragraph(words, 40, true),
    list(words, false),
    heading(words, 3),
    paragraph(words, 30),
    table(words, 4, 4),
    heading(words, 3),
    list(words, true),
    paragraph(words, 50),
    heading(words, 2),
    code(words),
    paragraph(words, 50, true),
  ];
}

/** A slide has one list, table or paragraph, because more of them do not fit on it. */
function slides(words: Words): Block[] {
  return [
    heading(words, 1),
    heading(words, 2),
    list(words, false),
    heading(words, 2),
    table(words, 4, 4),
    heading(words, 2),
    paragraph(words, 25),
  ];
}

const heading = (words: Words, level: 1 | 2 | 3): Heading => ({
  is: 'heading',
  level,
  text: Array.from({ length: 3 }, words.word).join(' '),
});

const paragraph = (words: Words, count: number, hasNote = false): Block => ({
  is: 'paragraph',
  text: words.text(count),
  ...(hasNote && { note: words.text(6) }),
});

function list(words: Words, isOrdered: boolean): Block {
  const item = (items: readonly Item[] = []): Item => ({ text: words.text(6), items });
  return { is: 'list', isOrdered, items: [item(), item([item(), item([item()])]), item()] };
}

/** About every seventh cell is empty, but none of the first row and of the first column. */
function table(words: Words, rows: number, columns: number): Table {
  const cell = (row: number, column: number): string => {
    if (row > 0 && column > 0 && words.upTo(7) === 0) return '';
    return row > 0 && column % 2 === 1 ? words.figure() : words.word();
  };
  return {
    is: 'table',
    rows: Array.from({ length: rows + 1 }, (_, row) =>
      Array.from({ length: columns }, (_, column) => cell(row, column)),
    ),
  };
}

const code = (words: Words): Block => ({
  is: 'code',
  lines: Array.from({ length: 4 }, () => `${words.word()}("${words.word()}", ${words.figure()});`),
});

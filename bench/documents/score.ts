/** Compares a reading with the source of the document. */
import type { Reading } from './reading.ts';
import type { Block, Heading, Item, Source, Table } from './source.ts';
import { wordsIn } from './words.ts';

interface Share {
  readonly right: number;
  readonly of: number;
}

export interface Score {
  readonly words: Share;
  readonly headings: Share;
  /** These are the headings with the right level, of those that are recognized. */
  readonly levels: Share;
  /** These are the cells in the row of the first cell. */
  readonly rows: Share;
  /** These are the cells in the row of the first cell and under their head. */
  readonly cells: Share;
  /** These are some of the words, headings and cells that are not right. */
  readonly faults: readonly string[];
}

export function scoreOf(
  { shape, title, blocks }: Source,
  hasTitle: boolean,
  reading: Reading,
): Score {
  const text = wordsIn([hasTitle ? title : '', ...blocks.flatMap(textsIn)].join('\n'));
  const notes = blocks.flatMap((one) => (one.is === 'paragraph' && one.note ? [one.note] : []));
  const parts = [text, ...notes.map(wordsIn)].map((words) => inOrder(words, reading.words));
  const headings = headingsScore(
    blocks.filter((block) => block.is === 'heading'),
    reading,
    shape === 'slides',
  );
  const cells = blocks.flatMap((block) =>
    block.is === 'table' ? [cellsScore(block, reading)] : [],
  );
  return {
    words: sum(parts),
    ...headings,
    rows: sum(cells.map((one) => one.rows)),
    cells: sum(cells.map((one) => one.cells)),
    faults: [...parts, headings, ...cells].flatMap(({ faults }) => faults.slice(0, 5)),
  };
}

export const sum = (shares: readonly Share[]): Share => ({
  right: shares.reduce((total, { right }) => total + right, 0),
  of: shares.reduce((total, { of }) => total + of, 0),
});

function textsIn(block: Block): string[] {
  switch (block.is) {
    case 'heading':
    case 'paragraph':
      return [block.text];
    case 'list':
      return block.items.flatMap(itemTexts);
    case 'table':
      return block.rows.flat();
    case 'code':
      return [...block.lines];
  }
}

const itemTexts = ({ text, items }: Item): string[] => [text, ...items.flatMap(itemTexts)];

/**
 * Counts the words of the longest common subsequence. No word is twice in the source, so this is the longest increasing
 * sequence of places (J. W. Hunt and T. G. Szymanski, 1977), which patience sorting finds in O(n log n).
 */
function inOrder(source: readonly string[], read: readonly string[]) {
  const places = new Map(source.map((word, place) => [word, place]));
  const seen = new Set(read);
  // The place at index n ends an increasing sequence of n + 1 places, and no other such sequence ends earlier.
  const ends: number[] = [];
  for (const word of read) {
    const place = places.get(word);
    if (place !== undefined) ends[indexFor(place, ends)] = place;
  }
  const missing = source.filter((word) => !seen.has(word)).map((word) => `no word ${word}`);
  const moved = missing.length + ends.length < source.length ? ['words in another order'] : [];
  return { right: ends.length, of: source.length, faults: [...moved, ...missing] };
}

/** Returns the index of the first number that is not less, by binary search. */
function indexFor(place: number, ends: readonly number[]): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Documents of one kind may begin at level 1 or 2, so the most frequent difference of levels counts as right. */
function headingsScore(wanted: readonly Heading[], { headings }: Reading, areSlides: boolean) {
  const read = new Map(headings.map(({ level, text }) => [keyOf(text), level]));
  const missing = wanted.filter(({ text }) => !read.has(keyOf(text)));
  const differences = new Map<number, number>();
  for (const { level, text } of wanted) {
    const by = (read.get(keyOf(text)) ?? Number.NaN) - level;
    if (!Number.isNaN(by)) differences.set(by, (differences.get(by) ?? 0) + 1);
  }
  const right = wanted.length - missing.length;
  return {
    headings: { right, of: wanted.length },
    levels: areSlides
      ? { right: 0, of: 0 }
      : { right: Math.max(0, ...differences.values()), of: right },
    faults: missing.map(({ text }) => `no heading ${text}`),
  };
}

const keyOf = (text: string): string => wordsIn(text).join(' ');

/**
 * A cell is in the right row if it stands in the row of the first cell, or in its line where the reader knows no tables.
 * It is right if it also stands under its head.
 */
function cellsScore({ rows: [head = [], ...body] }: Table, reading: Reading) {
  const places = placesOf(reading);
  const placeOf = (cell = '') => places.get(keyOf(cell));
  const cells = body.flatMap((row) => {
    const first = placeOf(row[0]);
    return row.flatMap((cell, column) => {
      if (cell === '') return [];
      const place = placeOf(cell);
      const isInRow = place !== undefined && place.row === first?.row;
      return [{ cell, isInRow, isRight: isInRow && isUnder(place, placeOf(head[column])) }];
    });
  });
  const wrong = cells.filter(({ isRight }) => !isRight);
  return {
    rows: { right: cells.filter(({ isInRow }) => isInRow).length, of: cells.length },
    cells: { right: cells.length - wrong.length, of: cells.length },
    faults: wrong.map(({ cell }) => `cell ${cell} is elsewhere`),
  };
}

const isUnder = (place: Place, head: Place | undefined): boolean =>
  place.table !== undefined && place.table === head?.table && place.column === head.column;

interface Place {
  readonly row: unknown;
  readonly table?: unknown;
  readonly column?: number;
}

/** Returns where the words of each cell are; the words of a line are found as its cells. */
function placesOf({ tables, lines }: Reading): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const line of lines)
    for (const part of line.split(/\s+/)) places.set(keyOf(part), { row: line });
  for (const table of tables)
    for (const row of table)
      for (const [column, cell] of row.entries()) places.set(keyOf(cell), { row, table, column });
  return places;
}

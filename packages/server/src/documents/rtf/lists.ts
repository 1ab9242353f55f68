/** Reads the table of lists of RTF (Rich Text Format 1.9.1, "List Tables"), as far as it says what a label is. */

const MAX_LISTS = 10_000;
const LEVELS = 9;
const SMALL_LETTERS = 4;

export interface RtfLists {
  /** Takes a control word of the table of lists. */
  word(word: string, number: number): void;
  /** Takes a control word of the table that gives lists the numbers which paragraphs name. */
  wordOfUse(word: string, number: number): void;
  endUse(number: number): void;
  countsInLetters(number: number, level: number): boolean;
}

export function createRtfLists(): RtfLists {
  /** These are the formats of the levels of each list. */
  const lists = new Map<number, readonly number[]>();
  const uses = new Map<number, number>();
  let formats: number[] = [];
  /** This is the id of the list that is used, which an entry may lack. */
  let id: number | null = null;

  return {
    word(word, number) {
      if (word === 'list') formats = [];
      else if (word === 'levelnfc' && formats.length < LEVELS) formats.push(number);
      else if (word === 'listid' && lists.size < MAX_LISTS) lists.set(number, formats);
    },
    wordOfUse(word, number) {
      if (word === 'listoverride') id = null;
      else if (word === 'listid') id = number;
    },
    endUse(number) {
      if (number !== 0 && id !== null && uses.size < MAX_LISTS) uses.set(number, id);
    },
    countsInLetters: (number, level) => lists.get(uses.get(number) ?? 0)?.[level] === SMALL_LETTERS,
  };
}

/** Keeps the words of a company's records: a search must find each record by its word. */
import { newWord } from './cloud-company.ts';

export interface CompanyOptions<Row> {
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId?: (record: Row) => string | null;
  readonly config?: object;
  readonly credentials?: Readonly<Record<string, string>>;
}

export const said = (word: string) => `It is about ${word}.`;

/** The function `write` writes a word into the record, in place of the word before. */
export interface CompanyWord<Row> {
  readonly record: Row;
  readonly word: string;
  readonly write: (word: string) => void;
}

/** Each record has its own key. */
export function makeCompanyWords<Row>(keyOf: (record: Row) => string) {
  const words = new Map<string, CompanyWord<Row>>();
  return {
    words,
    /** Gives the record a new word. */
    keep(record: Row, write: (word: string) => void): void {
      const word = newWord();
      words.set(keyOf(record), { record, word, write });
      write(word);
    },
  };
}

/** Returns what the connector copies of that which is kept, each with the id that the connector gives to it. */
export const copied = <Kept>(kept: Iterable<Kept>, idOf: (one: Kept) => string | null) =>
  [...kept].flatMap((one) => {
    const id = idOf(one);
    return id === null ? [] : [{ ...one, id }];
  });

/** Maps the ids of the records that the connector copies to their words. */
export const wordsOf = <Kept extends { readonly word: string }>(
  kept: Iterable<Kept>,
  idOf: (one: Kept) => string | null,
): Map<string, string> => new Map(copied(kept, idOf).map(({ id, word }) => [id, word] as const));

/** Terms as numbers: a text that is looked at often is kept so, and compared without its strings. */
import { eachTerm } from './terms.ts';

export class Vocabulary {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** Undefined of a term that is in no text that was numbered. */
  get(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** The terms of a text, in order, added to `numbers`. */
  number(text: string, numbers: number[]): void {
    eachTerm(text, (word) => {
      if (word.numberedIn !== this) {
        word.number = this.#numberOf(word.stem);
        word.numberedIn = this;
      }
      numbers.push(word.number);
    });
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(apart(term), number);
    return number;
  }
}

/** A longer string may be a slice, which would keep its whole text alive. */
const LONGEST_COPIED = 12;
const apart = (term: string): string =>
  term.length <= LONGEST_COPIED ? term : Buffer.from(term, 'utf16le').toString('utf16le');

/** Puts the slides, sheets or chapters of a document after each other. */
import type { Converted } from './convert.ts';
import { joinParts } from './join-parts.ts';
import { MAX_CHARACTERS } from './kinds.ts';

export interface Paged {
  /** Adds a part in Markdown. `place` names it for citations, such as `slide 3`. */
  add(place: string, markdown: string): void;
  /** This is the number of parts. */
  readonly count: number;
  /** This is true when there is more text than a document may have, so the rest need not be read. */
  readonly isFull: boolean;
  result(): Pick<Converted, 'text' | 'pages' | 'places'>;
}

export function createPaged(): Paged {
  const texts: string[] = [];
  const places: string[] = [];
  let length = 0;
  return {
    add(place, markdown) {
      places.push(place);
      texts.push(markdown);
      length += markdown.length;
    },
    get count() {
      return texts.length;
    },
    get isFull() {
      return length > MAX_CHARACTERS;
    },
    result: () => ({ ...joinParts(texts), places }),
  };
}

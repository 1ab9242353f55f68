/**
 * Draws words, none of which comes twice in one document. So it is known for each word of an extracted text where it
 * stands in the source.
 */
import { mulberry32 } from '../corpus.ts';

const SYLLABLES = {
  latin:
    'ba be bo da de do fa fe fo ga ge go ka ke ko la le lo ma me mo na ne no pa pe po ra re ro sa se so ta te to va ve vo',
  umlaut: 'bä bö bü dä dö gü hä jö kü lä mö nü pä rö sü tä wö zü ßa éa ña ço åx øl',
  greek: 'βα γε δη θι κο λυ μω νά ξέ πή ρί σό τύ φώ χα ψε ζη',
};
/** Each of these Unicode ranges has signs of one kind: ideographs, and pictures of animals and plants. */
const IDEOGRAPHS = { from: 0x4e00, count: 4000 };
const PICTURES = { from: 0x1f400, count: 60 };

export interface Words {
  /** Returns a number from 0 to `most` - 1. */
  upTo(most: number): number;
  word(): string;
  /** Returns words with spaces between them, some of them beside punctuation that is markup in some format. */
  text(count: number): string;
  /** Returns a number of five or more digits. */
  figure(): string;
}

export function createWords(seed: number): Words {
  const random = mulberry32(seed);
  const used = new Set<string>();
  const upTo = (most: number) => Math.floor(random() * most);
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;

  function unused(make: () => string): string {
    for (;;) {
      const word = make();
      if (used.has(word)) continue;
      used.add(word);
      return word;
    }
  }

  const spelled = (kind: keyof typeof SYLLABLES) => {
    const list = SYLLABLES[kind].split(' ');
    return unused(() => Array.from({ length: 3 + upTo(2) }, () => pick(list)).join(''));
  };

  /** Falls back to a Latin word when nearly all signs of the range are used. */
  function sign({ from, count }: typeof PICTURES, length: number): string {
    const signs: string[] = [];
    for (let tries = 0; signs.length < length; tries++) {
      if (tries === 50) return spelled('latin');
      const one = String.fromCodePoint(from + upTo(count));
      if (used.has(one)) continue;
      used.add(one);
      signs.push(one);
    }
    return signs.join('');
  }

  function word(): string {
    const drawn = random();
    if (drawn < 0.7) return spelled('latin');
    if (drawn < 0.85) return spelled('umlaut');
    if (drawn < 0.94) return spelled('greek');
    return drawn < 0.99 ? sign(IDEOGRAPHS, 3) : sign(PICTURES, 1);
  }

  function decorated(): string {
    const drawn = random();
    if (drawn < 0.94) return word();
    const [before, after] = pick(
      ['()', '<>', '**', '__', '[]', '||', '""', '# ', '$$', '~~'].map((two) => [two[0], two[1]]),
    );
    return `${before}${word()}${after}`;
  }

  return {
    upTo,
    word,
    text: (count) => `${Array.from({ length: count }, decorated).join(' ')}.`,
    figure: () => unused(() => String(10_000 + upTo(900_000))),
  };
}

const TOKEN = /\p{Script=Han}|[\u{1f000}-\u{1faff}]|\p{N}+|(?:(?!\p{Script=Han})[\p{L}\p{M}])+/gu;

/**
 * Returns the words of a text. Each ideograph and each picture counts as a word, because lines may break between them.
 * Digits end a word, because some programs write the number of a note directly before its text.
 */
export const wordsIn = (text: string): string[] => text.normalize('NFKC').match(TOKEN) ?? [];

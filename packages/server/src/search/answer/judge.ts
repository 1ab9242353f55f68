/** Judges which statements of passages answer a question. docs/quality.md says how the floor was chosen. */
import type { Words } from '../../engines/embedder/words.ts';
import { words as wordsOf } from '../../model/terms.ts';
import { must } from '../../util.ts';
import type { Passage } from '../passage.ts';
import { expectedBy } from './expected.ts';
import {
  type Matched,
  matchesIn,
  type ReadPassage,
  readPassage,
  type WeighedReading,
} from './match.ts';

export interface Inquiry {
  readonly text: string;
  readonly readings: readonly WeighedReading[];
}

export interface Judged extends Pick<Matched, 'match' | 'rank' | 'shares'> {
  readonly text: string;
  /** This is the id of the statement's chunk. */
  readonly id: string;
  readonly reading: WeighedReading;
}

/**
 * The best statement answers the question when its match is at least this floor. The longer a question is, the more
 * words it has that the answer does not repeat, so each doubling of its terms lowers the floor.
 */
const FLOOR = 4 / 8;
const PER_DOUBLED_TERMS = 0.5 / 8;
/**
 * The floor is raised by this for a question of at least SENTENCE words of which only one carries meaning, because many
 * texts have this one word.
 */
const THIN = 3 / 8;
const SENTENCE = 4;
/**
 * The floor is multiplied by this when the model knows no word of the question. Such a question is in another language,
 * whose stop words and forms of words are unknown, too, so even a good answer matches less.
 */
const FOREIGN = 2 / 3;
/**
 * A statement of another chunk than that of the best statement must match this share of the best match. For example,
 * when the best statement has the profits of 2023, and the question asks for those of 2022, another number of 2022 does
 * not answer it.
 */
const OF_BEST = 0.7;
/** A text of at most this many characters is about one thing, so all of it is the context of each of its statements. */
const SHORT = 1500;

/**
 * Returns the statements that answer the question, best first. The list is empty when, of the statements that have what
 * the question expects, the best one does not reach the floor. `passages` are in order, best first.
 */
export function judge(
  { text, readings }: Inquiry,
  passages: readonly Passage[],
  words: Words,
): Judged[] {
  const { light, isIn, hasNamed } = expectedBy(text);
  const likeness = words.likenessTo(text);
  const isSentence = wordsOf(text).length >= SENTENCE;
  const read = passages.map(readPassage);
  const judged = readings.flatMap((reading) => {
    const { matches, isKnown } = matchesIn(read, { reading, light, likeness, words });
    const floor = floorOf(reading.terms.length, { isSentence, isKnown });
    return matches.map((one) => {
      const { text: said } = must(one.passage.statements[one.at]);
      return { ...one, text: said, id: one.passage.id, reading, answers: one.match >= floor };
    });
  });
  const [best, ...others] = judged.sort((a, b) => b.rank - a.rank);
  if (!best) return [];
  const isNearBest = (one: Judged) => one.id === best.id || one.match >= OF_BEST * best.match;
  const fitting = [best, ...others.filter(isNearBest)].filter(
    (one) => isIn(one.text) && hasNamed(contextOf(one)),
  );
  return fitting[0]?.answers ? fitting.filter(({ answers }) => answers) : [];
}

/** `count` is the number of terms of the question; stop words do not count. */
const floorOf = (
  count: number,
  question: { readonly isSentence: boolean; readonly isKnown: boolean },
): number =>
  (FLOOR - PER_DOUBLED_TERMS * Math.log2(Math.max(1, count))) * (question.isKnown ? 1 : FOREIGN) +
  (count === 1 && question.isSentence ? THIN : 0);

/** Returns a statement with its context: the title, and the whole text or the lines around the statement. */
function contextOf({
  passage: { title, text, statements },
  at,
}: {
  readonly passage: ReadPassage;
  readonly at: number;
}): string {
  if (text.length <= SHORT) return `${title}\n${text}`;
  const beside = statements.slice(Math.max(0, at - 1), at + 2).map((one) => one.text);
  return [title, must(statements[at]).above, ...beside].join('\n');
}

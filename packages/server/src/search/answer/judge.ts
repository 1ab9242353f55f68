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
  SHORT,
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
 * A statement answers the question if its match is at least the floor, which is this for a question with one term. A
 * longer question has more words that its answer does not repeat, so each doubling of its terms lowers the floor.
 */
const FLOOR = 4 / 8;
const PER_DOUBLED_TERMS = 0.5 / 8;
/**
 * The floor is raised by this for a question of at least SENTENCE words of which only one carries meaning, because many
 * texts contain that one word.
 */
const THIN = 3 / 8;
const SENTENCE = 4;
/**
 * The floor is multiplied by this when the model knows no word of the question. The question is then in another
 * language, and its question words, stop words and forms of words are unknown, too.
 */
const FOREIGN = 2 / 3;
/**
 * A statement of another chunk counts only if its match is at least this share of the best match. Otherwise, when the
 * best statement lacks what the question expects, a poor match would take its place: to a question about the profits of
 * 2022, some other figure of 2022 is not an answer.
 */
const OF_BEST = 0.7;
/**
 * Returns the statements that answer the question, best first. The list is empty when the best statement that has what
 * the question expects does not reach the floor. `passages` are in order, best first.
 */
export function judge(
  { text, readings }: Inquiry,
  passages: readonly Passage[],
  words: Words,
): Judged[] {
  const { light, hasAmount, isIn, hasNamed } = expectedBy(text);
  const likeness = words.likenessTo(text);
  const isSentence = wordsOf(text).length >= SENTENCE;
  const read = passages.map(readPassage);
  const judged = readings.flatMap((reading) => {
    const { matches, isKnown } = matchesIn(read, { reading, light, hasAmount, likeness, words });
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

/** `count` terms of the question carry meaning. */
const floorOf = (
  count: number,
  question: { readonly isSentence: boolean; readonly isKnown: boolean },
): number =>
  (FLOOR - PER_DOUBLED_TERMS * Math.log2(Math.max(1, count))) * (question.isKnown ? 1 : FOREIGN) +
  (count === 1 && question.isSentence ? THIN : 0);

/** Returns a statement with the text around it. */
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

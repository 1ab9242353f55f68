/**
 * Judges how well the statements of passages answer a question. The match of a statement is a number from 0 to 1: the
 * words of the question that it has, or comes near in meaning, alone and together with what stands around it.
 * docs/quality.md says how the weights and the floor were chosen.
 */
import type { Words } from '../../engines/embedder/words.ts';
import { terms, words as wordsOf } from '../../model/terms.ts';
import { hasTitle, titleOf } from '../../model/title.ts';
import { must } from '../../util.ts';
import type { Passage } from '../passage.ts';
import { type Expected, expectedBy } from './expected.ts';
import { type Statement, statementsOf } from './sentences.ts';

export interface Inquiry {
  readonly text: string;
  /** Each way to write the question has distinct terms with weights. Its matches are multiplied by its factor. */
  readonly readings: readonly WeighedReading[];
}

interface WeighedReading {
  readonly terms: readonly string[];
  readonly weights: readonly number[];
  readonly factor: number;
}

export interface Judged {
  readonly text: string;
  /** This is the id of the statement's chunk. */
  readonly id: string;
  readonly match: number;
  /** The statement with the greatest rank answers best. Besides the match, the place of its passage counts. */
  readonly rank: number;
  /** The statement has this share of the question's weight for each term of the reading. */
  readonly shares: Float64Array;
  readonly reading: WeighedReading;
}

/** The match is the mean of four shares with these weights, which sum to 1. */
const OWN = 3 / 8;
const AROUND = 2 / 8;
const LIKE = 2 / 8;
const REST = 1 / 8;
/** The passage of the second place counts this much less than the first, and that of the fourth twice as much less. */
const PER_DOUBLED_PLACE = 1 / 8;
/** Lines of code and questions seldom answer a question. */
const CODE = 2 / 8;
const ASKING = 1 / 8;
/** A word of the title counts this much of a word of the statement itself. */
const TITLED = 1 / 4;
/** Below a title that says all that is asked, the first statement goes before others that say nothing of it. */
const LATER = 1 / 8;
/** A sentence of some words with only one that carries meaning has this one in common with many texts. */
const THIN = 3 / 8;
const LONG = 4;
/** The words of the question word itself ("how many") count this much. */
const LIGHT = 0.3;
/**
 * The best statement answers the question from this match on. The longer a question, the more words it has that the
 * answer does not repeat, so each doubling of its terms lowers the floor.
 */
const FLOOR = 4 / 8;
const PER_DOUBLED_TERMS = 0.5 / 8;
/**
 * A question of which the model knows no word is in another language, whose question words, stop words and forms of
 * words are unknown, too.
 */
const FOREIGN = 2 / 3;
/**
 * Where the best statement lacks what the question expects, another chunk seldom answers: it would have to match nearly as
 * well. The profits of 2023 do not answer a question for those of 2022, nor does another figure of 2022.
 */
const OF_BEST = 0.7;
/** A record of at most this many characters is about one thing, so its numbers and dates hold for all of its statements. */
const SHORT = 1500;
/** Comparing words by meaning costs the most, so only the statements that are best without it get it. */
const CLOSER = 16;
/** For the same reason, only the words of the question with the most weight get it. */
const MOST_COMPARED = 6;

/**
 * Returns the statements that answer the question, best first; the list is empty when even the best one that has what
 * the question expects does not reach the floor. `passages` are in order, best first.
 */
export function judge(
  { text, readings }: Inquiry,
  passages: readonly Passage[],
  words: Words,
): Judged[] {
  const expected = expectedBy(text);
  const likeness = words.likenessTo(text);
  const read = passages.map(readPassage);
  const isLong = wordsOf(text).length >= LONG;
  const judged = readings.flatMap((reading) =>
    measure({ reading, isLong, expected, likeness, words }, read),
  );
  const [best, ...others] = judged.sort((a, b) => b.rank - a.rank);
  if (!best) return [];
  const isNearBest = (one: Judged) => one.id === best.id || one.match >= OF_BEST * best.match;
  const fitting = [best, ...others.filter(isNearBest)].filter(
    ({ text: said, context }) => expected.isIn(said) && expected.hasNamed(context()),
  );
  return fitting[0]?.answers ? fitting.filter(({ answers }) => answers) : [];
}

/** `count` terms of the question carry meaning. */
const floorOf = (count: number, has: { readonly isLong: boolean; readonly isKnown: boolean }) =>
  (FLOOR - PER_DOUBLED_TERMS * Math.log2(Math.max(1, count))) * (has.isKnown ? 1 : FOREIGN) +
  (count === 1 && has.isLong ? THIN : 0);

interface ReadPassage {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly statements: readonly Statement[];
}

/** A record without a text is found by its name, and has nothing else to quote. */
function readPassage({ id, row: { name, heading, text } }: Passage): ReadPassage {
  const statements =
    text.trim() === '' ? [{ text: name, above: '', isCode: false }] : statementsOf(text);
  return { id, title: titleOf({ name, heading }, hasTitle({ name, text })), text, statements };
}

interface Measures {
  readonly reading: WeighedReading;
  /** The question has several words, most of which may carry no meaning. */
  readonly isLong: boolean;
  readonly expected: Expected;
  readonly likeness: (text: string) => number;
  readonly words: Words;
}

interface Measured extends Judged {
  /** The match reaches the floor. */
  readonly answers: boolean;
  /** Returns the statement with what stands around it. */
  readonly context: () => string;
}

function measure(
  { reading, isLong, expected: { light }, likeness, words }: Measures,
  passages: readonly ReadPassage[],
): Measured[] {
  const { terms: asked, factor } = reading;
  const heavy = reading.weights.map(
    (weight, k) => weight * (light.has(must(asked[k])) ? LIGHT : 1),
  );
  const total = sum(heavy) || 1;
  const parts = heavy.map((weight) => weight / total);
  const slots = new Map(asked.map((term, k) => [term, k]));
  const compared = [...asked.keys()]
    .sort((a, b) => parts[b]! - parts[a]! || a - b)
    .slice(0, MOST_COMPARED);
  const closeness = words.closeness(compared.map((k) => must(asked[k])));
  /** A word that the model does not know, as of most other languages, can make a text neither like nor unlike. */
  const like = LIKE * sum(parts.filter((_, k) => closeness(must(asked[k])) !== null));
  const floor = floorOf(asked.length, { isLong, isKnown: like > 0 });

  /** Adds 1 for each term of the question that is among these terms. */
  const mark = (held: Float64Array, found: readonly string[]): Float64Array => {
    for (const term of found) {
      const slot = slots.get(term);
      if (slot !== undefined) held[slot] = 1;
    }
    return held;
  };
  const heldIn = (text: string) => mark(new Float64Array(asked.length), terms(text));
  const shareOf = (held: ArrayLike<number>): number => {
    let share = 0;
    for (let k = 0; k < parts.length; k++) share += parts[k]! * held[k]!;
    return share;
  };

  const candidates = passages.flatMap((passage, place) => {
    const { title, statements } = passage;
    const titled = heldIn(title);
    const outside = 1 - shareOf(titled);
    const own = statements.map((statement) => terms(statement.text));
    return statements.map((statement, i) => {
      const around = mark(titled.slice(), terms(statement.above));
      for (const beside of [own[i - 1], own[i + 1]]) if (beside) mark(around, beside);
      const held = mark(new Float64Array(asked.length), must(own[i]));
      const later = outside < NONE && i > 0 && held.every((one) => one === 0) ? LATER : 0;
      const form = (statement.isCode ? CODE : 0) + (ASKS.test(statement.text) ? ASKING : 0);
      return {
        ...{ passage, statement, i, titled, outside, around, held, own: must(own[i]) },
        likeness: 0,
        lowered: form + later,
        place: PER_DOUBLED_PLACE * Math.log2(1 + place),
      };
    });
  });

  const matchOf = ({
    held,
    around,
    titled,
    outside,
    likeness: alike,
    lowered,
  }: (typeof candidates)[number]) => {
    let own = 0;
    let whole = 0;
    let rest = 0;
    for (let k = 0; k < parts.length; k++) {
      own += parts[k]! * Math.max(held[k]!, TITLED * titled[k]!);
      whole += parts[k]! * Math.max(held[k]!, around[k]!);
      if (titled[k] === 0) rest += parts[k]! * held[k]!;
    }
    const lacked = outside < NONE ? 1 : rest / outside;
    const all = OWN * own + AROUND * whole + like * alike + REST * lacked;
    return (factor * all) / (OWN + AROUND + like + REST) - lowered;
  };
  return candidates
    .map((one) => ({ one, rank: matchOf(one) - one.place }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, CLOSER)
    .map(({ one }) => {
      for (const term of one.own) {
        const cosines = closeness(term);
        for (let at = 0; cosines !== null && at < compared.length; at++) {
          const k = compared[at]!;
          if (cosines[at]! > 0)
            one.held[k] = Math.max(one.held[k]!, Math.min(1, cosines[at]! ** 2));
        }
      }
      one.likeness = Math.max(0, likeness(one.statement.text));
      const match = matchOf(one);
      const { passage, statement, i } = one;
      return {
        ...{ text: statement.text, id: passage.id, reading, match, rank: match - one.place },
        answers: match >= floor,
        shares: one.held.map((value, k) => value * parts[k]!),
        context: () => contextOf(passage, i),
      };
    });
}

const ASKS = /\?\W*$/;
/** A smaller share of the question's weight is only the error of a sum. */
const NONE = 1e-9;

const contextOf = ({ title, text, statements }: ReadPassage, i: number): string =>
  text.length <= SHORT
    ? `${title}\n${text}`
    : [title, must(statements[i]).above]
        .concat(statements.slice(Math.max(0, i - 1), i + 2).map((one) => one.text))
        .join('\n');

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

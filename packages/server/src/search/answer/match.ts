/**
 * Measures how well statements match one reading of the question: by the words of the question that are in the
 * statement, or near to it in meaning. It looks at the statement alone, and at the statement with the text around it.
 * docs/quality.md says how the weights were chosen.
 */
import type { Words } from '../../engines/embedder/words.ts';
import { terms } from '../../model/terms.ts';
import { hasTitle, titleOf } from '../../model/title.ts';
import { must } from '../../util.ts';
import type { Passage } from '../passage.ts';
import { type Statement, statementsOf } from './sentences.ts';

/**
 * A reading is one way to write the question. It has distinct terms with weights, and its matches are multiplied by its
 * factor.
 */
export interface WeighedReading {
  readonly terms: readonly string[];
  readonly weights: readonly number[];
  readonly factor: number;
}

export interface Matched {
  readonly passage: ReadPassage;
  /** This is the number of the statement in its passage. */
  readonly at: number;
  /** The match is at most 1. It may be below 0, because some statements are lowered. */
  readonly match: number;
  /** The statement with the greatest rank answers best. Besides the match, the place of its passage counts. */
  readonly rank: number;
  /** For each term of the reading, this is the share of the question's weight that the statement has. */
  readonly shares: Float64Array;
}

/** The match is the mean of four shares with these weights, which sum to 1. */
const OWN = 3 / 8;
const AROUND = 2 / 8;
const LIKE = 2 / 8;
const REST = 1 / 8;
/**
 * The rank of a statement in the second passage is lowered by this, in the fourth passage by twice this: once for each
 * doubling of the place.
 */
const PER_DOUBLED_PLACE = 1 / 8;
/** The match of a line of code or of a question is lowered by these, because they seldom answer a question. */
const CODE = 2 / 8;
const ASKING = 1 / 8;
/** A word that is only in the title counts this share of a word that is in the statement itself. */
const TITLED = 1 / 4;
/**
 * When the title has all terms of the question, a statement with none of them is lowered by this, unless it is the
 * first one below the title.
 */
const LATER = 1 / 8;
/** The terms of the question word itself ("how many") have this share of their weight. */
const LIGHT = 0.3;
/** Comparing by meaning costs the most, so only the statements that are best without it are compared in this way. */
const CLOSER = 16;
/** For the same reason, they are compared only with those words of the question that have the most weight. */
const MOST_COMPARED = 6;

/** A record of at most this many characters is about one thing, so what it names holds for all of its statements. */
export const SHORT = 1500;

const ASKS = /\?\W*$/;
/** A smaller share of the question's weight is only a rounding error. */
const NONE = 1e-9;

export interface ReadPassage {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly statements: readonly Statement[];
}

/** A record without a text is found by its name, and has nothing else to quote. */
export function readPassage({ id, row: { name, heading, text } }: Passage): ReadPassage {
  const statements =
    text.trim() === '' ? [{ text: name, above: '', isCode: false }] : statementsOf(text);
  return { id, title: titleOf({ name, heading }, hasTitle({ name, text })), text, statements };
}

export interface MatchInputs {
  readonly reading: WeighedReading;
  /** These terms of the question count little. */
  readonly light: ReadonlySet<string>;
  /** Returns true if a text has an amount of money that stands for the light terms. */
  readonly hasAmount: (text: string) => boolean;
  /** Returns the likeness of a text to the whole question. */
  readonly likeness: (text: string) => number;
  readonly words: Words;
}

/** Returns the best statements in no particular order, and whether the model knows any word of the question. */
export function matchesIn(
  passages: readonly ReadPassage[],
  { reading, light, hasAmount, likeness, words }: MatchInputs,
): { readonly matches: Matched[]; readonly isKnown: boolean } {
  const asked = reading.terms;
  const parts = partsOf(reading, light);
  const candidates = passages.flatMap((passage, place) =>
    candidatesIn(passage, { asked, light, hasAmount }).map((one) => ({
      ...one,
      place: PER_DOUBLED_PLACE * Math.log2(1 + place),
    })),
  );
  const compared = [...asked.keys()]
    .sort((a, b) => parts[b]! - parts[a]! || a - b)
    .slice(0, MOST_COMPARED);
  const closeness = words.closeness(compared.map((k) => must(asked[k])));
  /**
   * A word that the model does not know, such as most words of other languages, says nothing about the likeness, so it
   * lowers the weight of the likeness.
   */
  const like = LIKE * sum(parts.filter((_, k) => closeness(must(asked[k])) !== null));
  const matchOf = (one: MatchCandidate) =>
    reading.factor * matchWith(one, parts, like) - one.lowered;

  const closer = candidates
    .map((one) => ({ one, rank: matchOf(one) - one.place }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, CLOSER);
  const matches = closer.map(({ one }) => {
    for (const term of one.own) {
      const cosines = closeness(term);
      if (cosines === null) continue;
      for (let i = 0; i < compared.length; i++) {
        const k = compared[i]!;
        if (cosines[i]! > 0) one.held[k] = Math.max(one.held[k]!, Math.min(1, cosines[i]! ** 2));
      }
    }
    one.likeness = Math.max(0, likeness(one.text));
    const match = matchOf(one);
    const shares = one.held.map((value, k) => value * parts[k]!);
    return { passage: one.passage, at: one.at, match, rank: match - one.place, shares };
  });
  return { matches, isKnown: like > 0 };
}

/** Returns the share of the question's weight that each term has. */
function partsOf({ terms: asked, weights }: WeighedReading, light: ReadonlySet<string>): number[] {
  const heavy = weights.map((weight, k) => weight * (light.has(must(asked[k])) ? LIGHT : 1));
  const total = sum(heavy) || 1;
  return heavy.map((weight) => weight / total);
}

interface MatchCandidate {
  readonly passage: ReadPassage;
  readonly at: number;
  readonly text: string;
  /** These are the terms of the statement. */
  readonly own: readonly string[];
  /** This has, for each term of the question, 1 if the statement has it, or else the square of the largest cosine. */
  readonly held: Float64Array;
  /** This has, for each term of the question, 1 if the title has it. */
  readonly titled: Float64Array;
  /**
   * This has, for each term of the question, 1 if the title, the text above the statement or a neighbouring statement
   * has it.
   */
  readonly around: Float64Array;
  likeness: number;
  /** The match is lowered by this. */
  readonly lowered: number;
}

interface SoughtTerms extends Pick<MatchInputs, 'light' | 'hasAmount'> {
  readonly asked: readonly string[];
}

function candidatesIn(
  passage: ReadPassage,
  { asked, light, hasAmount }: SoughtTerms,
): MatchCandidate[] {
  const slots = new Map(asked.map((term, k) => [term, k]));
  const mark = (held: Float64Array, found: readonly string[] = []): Float64Array => {
    for (const term of found) {
      const slot = slots.get(term);
      if (slot !== undefined) held[slot] = 1;
    }
    return held;
  };
  const titled = mark(new Float64Array(asked.length), terms(passage.title));
  const isAllTitled = titled.every((one) => one === 1);
  const own = passage.statements.map(({ text }) => terms(text));
  const said = new Set([...terms(passage.title), ...own.flat()]);
  const subject = asked.filter((term) => !light.has(term));
  const isAboutSubject =
    passage.text.length <= SHORT && subject.length > 0 && subject.every((term) => said.has(term));
  return passage.statements.map(({ text, above, isCode }, at) => {
    const held = mark(new Float64Array(asked.length), own[at]);
    if (isAboutSubject && hasAmount(text)) mark(held, [...light]);
    const around = mark(titled.slice(), terms(above));
    for (const beside of [own[at - 1], own[at + 1]]) mark(around, beside);
    const isLater = isAllTitled && at > 0 && held.every((one) => one === 0);
    const lowered = (isLater ? LATER : 0) + (isCode ? CODE : 0) + (ASKS.test(text) ? ASKING : 0);
    return { passage, at, text, own: must(own[at]), held, titled, around, likeness: 0, lowered };
  });
}

/** `like` is the weight of the likeness in this question. */
function matchWith(
  { held, titled, around, likeness }: MatchCandidate,
  parts: readonly number[],
  like: number,
): number {
  let own = 0;
  let whole = 0;
  let outside = 0;
  let rest = 0;
  for (let k = 0; k < parts.length; k++) {
    own += parts[k]! * Math.max(held[k]!, TITLED * titled[k]!);
    whole += parts[k]! * Math.max(held[k]!, around[k]!);
    if (titled[k] === 1) continue;
    outside += parts[k]!;
    rest += parts[k]! * held[k]!;
  }
  const lacked = outside < NONE && parts.length > 0 ? 1 : rest / (outside || 1);
  return (
    (OWN * own + AROUND * whole + like * likeness + REST * lacked) / (OWN + AROUND + like + REST)
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

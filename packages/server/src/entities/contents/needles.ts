/**
 * Finds texts of which a line has at least one wherever an expression of RE2 matches it. The database looks for them
 * before an expression is tried, because it looks through a hundred thousand passages in the time in which the
 * expression looks through a few thousand.
 *
 * The words of the index cannot say this for sure: they are stems, they lack stop words, and a match may be a part of a
 * word. So only the expression itself is asked: a text counts if every match must contain it, and where that is not
 * certain, no needles are returned.
 */

/** Each match contains one of the needles. An empty list means that nothing is certain. */
export interface Needles {
  readonly texts: readonly string[];
  /** The case of ASCII letters does not count; the texts have them in lower case. */
  readonly ignoresCase: boolean;
}

const NO_NEEDLES: Needles = { texts: [], ignoresCase: false };

/** More alternatives make the statement slower than the expression. */
const MOST = 20;

/**
 * These begin a group that changes flags, quoted text, and escapes that consist of more than the next character. They are
 * rare, so they need no rules of their own.
 */
const UNCERTAIN = /\(\?(?!:|P?<)|\\[QEpPx0-9]/;

/**
 * A token is an escape, a class such as `[a-z]`, a repetition such as `{2,5}` or `*`, or one character. An expression has
 * passed the compiler before, so each of them is complete.
 */
const TOKEN =
  /(?<escaped>\\.)|(?<set>\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\])|(?<repeated>[*+?]|\{(?<least>\d+)(?:,\d*)?\})\??|(?<other>.)/gsu;

export function needlesOf(pattern: string, ignoresCase: boolean): Needles {
  if (UNCERTAIN.test(pattern)) return NO_NEEDLES;
  const texts: string[] = [];
  for (const runs of alternatives(pattern)) {
    const best = longest(ignoresCase ? runs.flatMap(withoutOddCase) : runs);
    if (best === undefined) return NO_NEEDLES;
    texts.push(best);
  }
  return texts.length > MOST ? NO_NEEDLES : { texts, ignoresCase };
}

/** Returns, for each alternative of the whole expression, the runs of characters that it must contain. */
function alternatives(pattern: string): string[][] {
  const all: string[][] = [];
  let runs: string[] = [];
  /** These are the characters of the run; the last one may turn out to be optional. */
  let run: string[] = [];
  let depth = 0;
  const endRun = () => {
    if (run.length > 0) runs.push(run.join(''));
    run = [];
  };
  const steps: Readonly<Record<Exclude<TokenMeaning, 'character'>, () => void>> = {
    optional: () => void run.pop(),
    open: () => void depth++,
    close: () => void depth--,
    or() {
      if (depth > 0) return;
      endRun();
      all.push(runs);
      runs = [];
    },
    other() {},
  };
  for (const { groups = {} } of pattern.matchAll(TOKEN)) {
    const { meaning, character = '' } = meaningOf(groups);
    if (meaning === 'character') {
      if (depth === 0) run.push(character);
      continue;
    }
    steps[meaning]();
    endRun();
  }
  endRun();
  return [...all, runs];
}

type TokenMeaning = 'character' | 'optional' | 'open' | 'close' | 'or' | 'other';

function meaningOf({ escaped, set, repeated, least, other }: Record<string, string | undefined>): {
  readonly meaning: TokenMeaning;
  readonly character?: string | undefined;
} {
  if (repeated !== undefined) {
    const isOptional = repeated === '*' || repeated === '?' || Number(least ?? 1) === 0;
    return { meaning: isOptional ? 'optional' : 'other' };
  }
  if (other === '(') return { meaning: 'open' };
  if (other === ')') return { meaning: 'close' };
  if (other === '|') return { meaning: 'or' };
  const character = escaped === undefined ? other : literalOf(escaped);
  return set !== undefined || character === undefined || isOperator(other)
    ? { meaning: 'other' }
    : { meaning: 'character', character };
}

/** An escaped sign stands for itself; an escaped letter is a class, a boundary or a control character. */
const literalOf = (escaped: string): string | undefined =>
  /^\\[!-/:-@[-`{-~]$/.test(escaped) ? escaped.slice(1) : undefined;

/** Braces that repeat nothing are rare, and so is a bracket that ends nothing. */
const isOperator = (character: string | undefined): boolean =>
  character !== undefined && /^[.^${}\]\n]$/.test(character);

/**
 * Without regard to case, RE2 also matches `K` (the sign of kelvin) by `k` and `ſ` by `s`, and it has rules of its own
 * outside ASCII. The parts between such characters are left.
 */
const withoutOddCase = (run: string): string[] =>
  run
    .split(/[kKsS]|[^\0-\x7f]/u)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());

const longest = (runs: readonly string[]): string | undefined =>
  runs.reduce<string | undefined>(
    (best, run) => (best === undefined || run.length > best.length ? run : best),
    undefined,
  );

/** Returns a function that says whether a text has one of the needles. Without needles, each text counts. */
export function hasNeedle({ texts, ignoresCase }: Needles): (text: string) => boolean {
  if (texts.length === 0) return () => true;
  if (!ignoresCase) return (text) => texts.some((one) => text.includes(one));
  return (text) => {
    const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    return texts.some((one) => lower.includes(one));
  };
}

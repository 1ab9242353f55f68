/** A machine can check these rules of docs/style.md. */

export interface Finding {
  /** The first line is 1. */
  readonly line: number;
  readonly rule: string;
  readonly text: string;
}

const SHOWN = 100;

/** A sentence with such a beginning lacks its subject, or names it by a riddle. */
const HEADLESS =
  /^(?:Of|What|Whose|Whoever|Whichever|Whether|By|Also|Null|Undefined|True|False|None|Empty|Absent|Absolute|Longer|Only what|Not what|Seconds|Milliseconds|Bytes|Characters|One-based|Zero-based)\b/;
/** A sentence may begin with these words as well, but then goes on after a comma. */
const INTRODUCTION =
  /^(?:In|As|For|With|Without|From|To|At|On|Behind|Below|Above|Before|After|Between|Beside|Within|Under|Until|Where|When|While|If|Like|Such|So|Then)\b/;
const RIDDLES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|fewer\b|one\b)[\w']/i,
    '“is no X” is “is not an X”',
  ],
  [/\banew\b/i, '“anew” is “again”'],
  [
    /\bwhat (?:is|was|has been|had been) (?:said|told|heard)\b/i,
    'say what it is: the answer, the list, the message',
  ],
  [/\bthat there (?:is|are)\b(?= (?:bring|have|has|is|are|do|take|give))/i, 'name the things'],
];

/** Checks comments against the rules. It leaves out a line comment behind code. */
export function inCode(text: string): Finding[] {
  return [...commentsOf(text)].flatMap(({ line, text: comment }) => inComment(line, comment));
}

function inComment(line: number, comment: string): Finding[] {
  if (/^(?:biome-ignore|@|eslint|#)/.test(comment)) return [];
  const rules = riddlesIn(comment);
  const [first = ''] = sentencesOf(comment);
  if (HEADLESS.test(first)) rules.push('begins without a subject');
  else if (INTRODUCTION.test(first) && !first.includes(',')) rules.push('is a fragment');
  return rules.map((rule) => ({ line, rule, text: comment.slice(0, SHOWN) }));
}

/** Checks Markdown against the rules. It leaves out code. */
export function inProse(text: string): Finding[] {
  let isCode = false;
  return text.split('\n').flatMap((line, i) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const prose = isCode ? '' : line.replaceAll(/`[^`]*`/g, '');
    return riddlesIn(prose).map((rule) => ({
      line: i + 1,
      rule,
      text: line.trim().slice(0, SHOWN),
    }));
  });
}

const riddlesIn = (text: string): string[] =>
  RIDDLES.filter(([pattern]) => pattern.test(text)).map(([, rule]) => rule);

const sentencesOf = (text: string): string[] => text.split(/(?<=[.:;!?])\s+/);

/** Yields comments as one line each, without their signs. */
function* commentsOf(text: string): Generator<{ line: number; text: string }> {
  const comments = /\/\*\*?([\s\S]*?)\*\/|(?<=^|\n)[ \t]*\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g;
  for (const match of text.matchAll(comments)) {
    const [all, block] = match;
    const lines = (block ?? all).split('\n');
    const words = lines.map((line) =>
      line.replace(block === undefined ? /^\s*\/\/ ?/ : /^\s*\* ?/, ''),
    );
    const start = match.index + (all.length - all.trimStart().length);
    yield { line: text.slice(0, start).split('\n').length, text: words.join(' ').trim() };
  }
}

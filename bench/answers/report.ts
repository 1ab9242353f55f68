/** Makes a table of the shares, and the list of the answers that are wrong. */
import type { Verdict } from './judge.ts';
import { KINDS, SPLITS } from './sets.ts';

interface Asked {
  readonly name: string;
  readonly verdicts: readonly Verdict[];
}

const HEAD = [
  '| collection | split | unanswerable: refused | answerable: lost | answered: a quote holds the answer | quotes per answer |',
  '|---|---|---|---|---|---|',
];

export function tableText(asked: readonly Asked[]): string {
  const total = { name: 'all', verdicts: asked.flatMap(({ verdicts }) => verdicts) };
  const lines = [...asked, total].flatMap(({ name, verdicts }) => [
    ...SPLITS.map((split) =>
      lineOf(
        name,
        split,
        verdicts.filter(({ question }) => question.split === split),
      ),
    ),
    lineOf(name, 'both', verdicts),
  ]);
  return [...HEAD, ...lines].join('\n');
}

function lineOf(name: string, split: string, verdicts: readonly Verdict[]): string {
  const answerable = verdicts.filter(isAnswerable);
  const others = verdicts.filter((verdict) => !isAnswerable(verdict));
  const answered = answerable.filter(({ isRefused }) => !isRefused);
  const quotes = answered.reduce((sum, verdict) => sum + verdict.quotes, 0);
  const cells = [
    name,
    split,
    shareText(others.filter(({ isRefused }) => isRefused).length, others.length),
    shareText(answerable.length - answered.length, answerable.length),
    shareText(answered.filter(({ holds }) => holds).length, answered.length),
    answered.length === 0 ? '–' : (quotes / answered.length).toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Returns a table of all collections together, with a line for each kind of questions. */
export function kindsText(asked: readonly Asked[]): string {
  const verdicts = asked.flatMap((one) => one.verdicts);
  const lines = KINDS.map((kind) => {
    const ofKind = verdicts.filter(({ question }) => question.kind === kind);
    const refused = ofKind.filter(({ isRefused }) => isRefused);
    const holding = ofKind.filter(({ holds }) => holds);
    const of = ofKind.length;
    const held = ofKind.some(isAnswerable) ? shareText(holding.length, of) : '–';
    return `| ${kind} | ${shareText(refused.length, of)} | ${held} |`;
  });
  return ['| kind | refused | a quote holds the answer |', '|---|---|---|', ...lines].join('\n');
}

const isAnswerable = ({ question }: Verdict): boolean => question.answers.length > 0;

const shareText = (part: number, of: number): string =>
  of === 0 ? '–' : `${part} of ${of} (${((100 * part) / of).toFixed(0)} %)`;

export const listText = (asked: readonly Asked[]): string =>
  asked.flatMap(({ name, verdicts }) => verdicts.flatMap((one) => faultOf(name, one))).join('\n\n');

function faultOf(set: string, verdict: Verdict): string[] {
  const { question, answer, isRefused, holds } = verdict;
  const { id, kind, split } = question;
  const fault = isAnswerable(verdict)
    ? (isRefused && 'lost') || (!holds && 'beside the point')
    : !isRefused && 'not refused';
  if (!fault) return [];
  const wanted = question.answers.map((one) => `  wanted: ${one}`);
  const said = isRefused ? [] : [`  answer: ${answer}`];
  return [
    [`${set} ${id} (${kind}, ${split}), ${fault}: ${question.question}`, ...wanted, ...said].join(
      '\n',
    ),
  ];
}

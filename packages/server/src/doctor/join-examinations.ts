import type { StoredProblem } from '../db/schema.ts';
import type { Examination } from './examine.ts';
import { EXAMPLES } from './problems.ts';

/**
 * Each thread has its own copy of the collection in memory. `other` is the examination by another thread; its findings
 * about the copy of that thread are added to `examination`.
 */
export function withMemoryOf(examination: Examination, other: Examination): Examination {
  const { checked, problems } = examination;
  const isOfMemory = ({ kind }: StoredProblem) => kind === 'wrong_memory';
  const wrong = [...problems, ...other.problems].filter(isOfMemory);
  const all: StoredProblem = {
    kind: 'wrong_memory',
    count: wrong.reduce((sum, { count }) => sum + count, 0),
    examples: [...new Set(wrong.flatMap(({ examples }) => examples))].slice(0, EXAMPLES),
  };
  return {
    ...examination,
    checked: { ...checked, in_memory: checked.in_memory + other.checked.in_memory },
    problems: [...problems.filter((one) => !isOfMemory(one)), ...(wrong.length > 0 ? [all] : [])],
  };
}

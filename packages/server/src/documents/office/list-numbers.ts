/** Counts the items of the lists of Word documents (ECMA-376 part 1, 17.9). */
import type { Item } from './blocks.ts';
import { type NumeralFormat, numeral } from './numerals.ts';

const LONGEST_LABEL = 40;

export interface NumberedLevel {
  readonly format: NumeralFormat | 'bullet' | 'none';
  /** This is a pattern such as `%1.%2`, where %1 is the number of the outermost level. */
  readonly pattern: string;
  readonly start: number;
}

/** These are the numbers of the last items of each level of a list. */
export type ListCounters = (number | undefined)[];

/** Returns the next item of a list, and counts it. */
export function nextItem(
  counters: ListCounters,
  at: number,
  levelOf: (level: number) => NumberedLevel,
): Item {
  const { format, pattern, start } = levelOf(at);
  const number = (counters[at] ?? start - 1) + 1;
  // An item begins the numbers of all deeper levels again.
  counters.length = at;
  counters[at] = number;
  if (format === 'bullet' || format === 'none') return { level: at, label: '' };
  const label = pattern.slice(0, LONGEST_LABEL).replaceAll(/%([1-9])/g, (_, digit: string) => {
    const one = Number(digit) - 1;
    const above = levelOf(one);
    return numeral(counters[one] ?? above.start, numeralOf(above.format));
  });
  return { level: at, label: label.trim() };
}

const numeralOf = (format: NumberedLevel['format']): NumeralFormat =>
  format === 'bullet' || format === 'none' ? 'decimal' : format;

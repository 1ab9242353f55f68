/** Prints what tests do while they run, and sums it up at the end. */
import { type Checked, isChecked, isOutcome, type Line, type Outcome } from './test-record.ts';

const SLOWEST = 10;

export interface Report {
  /** Takes the next line of a process. */
  add(line: Line): void;
  /** Finishes the current file, because the process has ended. */
  finish(): void;
}

/** Prints a line for each file of a process when the process goes on to the next one. */
export function createReport(): Report {
  let file: string | undefined;
  let outcomes: Outcome[] = [];
  let ms = 0;

  function finish(): void {
    if (file !== undefined && outcomes.length > 0) {
      const { failed, skipped } = countOf(outcomes);
      const counts = [
        `${outcomes.length - failed - skipped} passed`,
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(skipped > 0 ? [`${skipped} skipped`] : []),
      ];
      console.log(`${failed > 0 ? '✖' : '✔'} ${file} (${counts.join(', ')}, ${seconds(ms)})`);
    }
    [file, outcomes, ms] = [undefined, [], 0];
  }

  return {
    add(line) {
      if ('begun' in line || isChecked(line)) return;
      if (line.file !== file) finish();
      file = line.file;
      if ('took' in line) ms += line.took;
      if (!isOutcome(line)) return;
      outcomes.push(line);
      if (line.result === 'failed') console.log(`✖ ${line.titles.join(' > ')}`);
    },
    finish,
  };
}

export interface Summary {
  readonly outcomes: readonly Outcome[];
  readonly took: ReadonlyMap<string, number>;
  readonly checks: readonly Checked[];
  readonly ms: number;
}

/** Prints the end of a run except its last line. */
export function printSummary({ outcomes, took, checks, ms }: Summary): void {
  const failures = outcomes.filter(({ result }) => result === 'failed');
  if (failures.length > 0) console.log('\nFailed:');
  for (const { titles, file, why } of failures)
    console.log(`\n✖ ${titles.join(' > ')}\n  ${file}\n${indented(why ?? '')}`);
  const slowest = [...took].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
  if (slowest.length > 1) console.log(`\nThe slowest of ${took.size} files:`);
  if (slowest.length > 1)
    for (const [file, one] of slowest) console.log(`${seconds(one).padStart(9)}  ${file}`);
  const contracts = Map.groupBy(checks, ({ checkedBy }) => checkedBy);
  if (contracts.size > 0) console.log('');
  for (const [name, some] of [...contracts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const total = (key: 'requests' | 'answers') => some.reduce((sum, one) => sum + one[key], 0);
    console.log(
      `${total('requests')} requests and ${total('answers')} answers were checked by ${name}`,
    );
  }
  const reasons = Map.groupBy(
    outcomes.filter(({ result }) => result === 'skipped'),
    ({ why }) => why,
  );
  console.log('');
  for (const [why, some] of reasons) console.log(`${some.length} skipped: ${why}`);
  console.log(`It took ${seconds(ms)}.`);
}

export const countOf = (outcomes: readonly Outcome[]) => ({
  passed: outcomes.filter(({ result }) => result === 'passed').length,
  failed: outcomes.filter(({ result }) => result === 'failed').length,
  skipped: outcomes.filter(({ result }) => result === 'skipped').length,
});

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const indented = (text: string) => text.replaceAll(/^/gm, '    ');

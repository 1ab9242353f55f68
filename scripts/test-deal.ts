/** Distributes test files over processes, so that all processes end at about the same time. */

/**
 * Returns the durations of test files. node reports a duration for the file in which a test is declared, which may be
 * another file. When several test files import that file, each gets an equal part of its duration.
 */
export function ofTestFiles(
  took: Readonly<Record<string, number>>,
  testsThatReach: (file: string) => readonly string[],
): Record<string, number> {
  const ms: Record<string, number> = {};
  for (const [file, one] of Object.entries(took)) {
    const tests = testsThatReach(file);
    for (const test of tests) ms[test] = (ms[test] ?? 0) + one / tests.length;
  }
  return ms;
}

/** A file whose duration is not known counts as this many milliseconds. */
const UNKNOWN_MS = 1000;

/**
 * Returns one list of files for each process, in the order in which they were given; no list is empty. The longest
 * files are distributed first, each to the process that has least to do. `took` maps a file to its milliseconds.
 */
export function deal(
  files: readonly string[],
  took: Readonly<Record<string, number>>,
  processes: number,
): string[][] {
  const msOf = (file: string) => took[file] ?? UNKNOWN_MS;
  const hands = Array.from({ length: Math.max(1, processes) }, () => ({
    ms: 0,
    files: new Set<string>(),
  }));
  for (const file of files.toSorted((a, b) => msOf(b) - msOf(a))) {
    const hand = hands.reduce((least, one) => (one.ms < least.ms ? one : least));
    hand.files.add(file);
    hand.ms += msOf(file);
  }
  return hands
    .map((hand) => files.filter((file) => hand.files.has(file)))
    .filter(({ length }) => length > 0);
}

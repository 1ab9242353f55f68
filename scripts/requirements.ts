/**
 * Finds the requirements that the tests cover.
 *
 * A test covers the ids in square brackets in its title or in those of its suites: `[COL-07] …`, `[COL-07, COL-08]
 * …`, `[COL-07] [COL-08] …`. An id is covered when a test that carries it passed and none failed. Two further tables
 * exempt requirements from this, each with a sentence that says why: `not-testable.tsv` names what no test can show,
 * `open.tsv` what is not built yet. Every other requirement needs a test, so the loss of its last test is noticed.
 */
import type { Outcome } from './test-record.ts';

export interface Requirement {
  readonly id: string;
  readonly area: string;
  readonly text: string;
}

export interface Coverage {
  /** These requirements have neither a passing test nor an exception. */
  readonly missing: readonly (Requirement & { readonly state: 'no test' | 'failing' })[];
  readonly covered: ReadonlySet<string>;
  /** Each mistake in the tables or in titles of tests is one sentence. */
  readonly faults: readonly string[];
}

const ID = /^[A-Z]+-\d+$/;

/** Returns the rows of a table with a heading, cell by cell. */
export const readTable = (text: string): string[][] =>
  text
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t').map((cell) => cell.trim()));

export function readRequirements(text: string): Requirement[] {
  return readTable(text).map(([id = '', area = '', , text = '']) => ({ id, area, text }));
}

/** Returns the ids in the titles of a test, each once. */
export function idsIn(titles: readonly string[]): string[] {
  const brackets = titles.flatMap((title) => [...title.matchAll(/\[([^\]]*)\]/g)]);
  const ids = brackets.flatMap(([, inside = '']) => inside.split(',').map((id) => id.trim()));
  return [...new Set(ids.filter((id) => ID.test(id)))];
}

/** `exempt` has the rows of both tables of exceptions: an id and a sentence. */
export function coverage(
  requirements: readonly Requirement[],
  outcomes: readonly Outcome[],
  exempt: readonly (readonly string[])[],
): Coverage {
  const known = new Set(requirements.map(({ id }) => id));
  const results = new Map<string, Set<Outcome['result']>>();
  const faults: string[] = [];
  for (const { titles, result } of outcomes)
    for (const id of idsIn(titles)) {
      if (!known.has(id))
        faults.push(`${id} in the title of the test '${titles.at(-1)}' is not a requirement`);
      results.set(id, (results.get(id) ?? new Set()).add(result));
    }
  const reasons = new Set<string>();
  for (const [id = '', reason = ''] of exempt) {
    if (!known.has(id)) faults.push(`${id} is listed as an exception, but it is not a requirement`);
    if (results.get(id)?.has('passed'))
      faults.push(
        `${id} is listed as an exception, but has a passing test: remove it from the list`,
      );
    if (reason.includes(' ') && reason.endsWith('.')) reasons.add(id);
    else faults.push(`${id} is listed as an exception without a sentence that says why`);
  }
  const isCovered = (id: string) =>
    Boolean(results.get(id)?.has('passed')) && !results.get(id)?.has('failed');
  const missing = requirements
    .filter(({ id }) => !isCovered(id) && !reasons.has(id))
    .map((requirement) => ({
      ...requirement,
      state: results.get(requirement.id)?.has('failed')
        ? ('failing' as const)
        : ('no test' as const),
    }));
  return { missing, covered: new Set([...known].filter(isCovered)), faults };
}

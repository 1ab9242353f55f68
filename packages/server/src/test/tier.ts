/** Tells whether `npm run test:full` runs. `npm test` runs fewer of the slow tests. */
export const isFull = Boolean(process.env.TEST_FULL);

/** Returns the numbers from `from` to `end - 1`, at most `most` of them. */
export function someOf(from: number, end: number, most = 4): number[] {
  const stride = Math.ceil((end - from) / most);
  const all = Array.from({ length: end - from }, (_, i) => from + i);
  return all.filter((n) => (n - from) % stride === 0);
}

/**
 * Tells whether the tests below this call are skipped. Where a suite tests rules and not SQL, `npm test` runs the whole
 * suite on SQLite, and only the tests above the call on PostgreSQL. `npm run test:full` runs everything on both
 * databases.
 */
export const isSmokeEnough = ({ name }: { readonly name: string }): boolean =>
  name !== 'sqlite' && !isFull;

/**
 * Tells whether the tests below this call are left to SQLite, in both tiers. They test what connectors, transformers and
 * protocols do with the one pipeline, and the tests above the call show that the pipeline does it on PostgreSQL.
 */
export const isLeftToSqlite = ({ name }: { readonly name: string }): boolean => name !== 'sqlite';

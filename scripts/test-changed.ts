/** Finds the test files that import changed files, directly or through other files. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const CODE = ['packages/*/src/**/*.{ts,js}', 'scripts/*.ts', 'bench/**/*.ts'];
/**
 * Matches the path after `from`, `import` or `new URL(`. The code uses `new URL(` for files that it reads or runs
 * instead of importing them.
 */
const SPECIFIER = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*['`]([^'`$]+)/g;
/** Matches the name of a module that a process or a thread of its own runs (packages/server/src/installation.ts). */
const ENTRY = /\bmoduleFile\('([^']+)'/g;

/** Returns the paths that differ from the revision, including files that git does not know yet. */
export function changedSince(revision: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  return [
    ...git('diff', '--name-only', '--relative', revision, '--'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/** Returns those of `tests` that are among `changed` or reach one of them over any number of imports. */
export function reaching(
  changed: readonly string[],
  tests: readonly string[],
  importers: ReadonlyMap<string, readonly string[]>,
): string[] {
  const reached = new Set<string>();
  const next = [...changed];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    next.push(...(importers.get(file) ?? []));
  }
  return tests.filter((file) => reached.has(file));
}

/** Returns for each file the files that import it. */
export function readImporters(): Map<string, string[]> {
  const entries = packageEntries();
  const importers = new Map<string, string[]>();
  const note = (target: string | undefined, file: string) => {
    if (target === undefined) return;
    const known = importers.get(target);
    if (known) known.push(file);
    else importers.set(target, [file]);
  };
  for (const file of globSync(CODE)) {
    const text = readFileSync(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(SPECIFIER))
      note(
        specifier.startsWith('.')
          ? withExtension(join(dirname(file), specifier))
          : entries.get(specifier),
        file,
      );
    for (const [, name] of text.matchAll(ENTRY)) note(`packages/server/src/${name}.ts`, file);
  }
  return importers;
}

/** Entries of processes are named without `.ts`, because their ending differs where the code has been built. */
const withExtension = (path: string) =>
  !existsSync(path) && existsSync(`${path}.ts`) ? `${path}.ts` : path;

/**
 * Maps the names under which our packages are imported to the files that they export. A package may give another one a
 * name that begins with #.
 */
function packageEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const path of globSync('packages/*/package.json')) {
    const { name, exports = {} } = JSON.parse(readFileSync(path, 'utf8'));
    for (const [key, conditions] of Object.entries<{ quarry?: string }>(exports))
      if (conditions.quarry)
        for (const prefix of ['', '#'])
          entries.set(`${prefix}${join(name, key)}`, join(dirname(path), conditions.quarry));
  }
  return entries;
}

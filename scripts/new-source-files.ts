/**
 * A new source begins as a copy of the example in test/long/example/, which the tests run, so what is copied always
 * works.
 */
import { readFileSync } from 'node:fs';

const SRC = 'packages/server/src';
const EXAMPLE = `${SRC}/test/long/example/acme-notes`;
const CATALOG = `${SRC}/sources/catalog.ts`;
const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const LONGEST_NAME = 40;

/** Returns the new files, and the changed catalog, by their paths. Throws an Error with a sentence for a wrong name. */
export function newSourceFiles(shortName: string, title = titleOf(shortName)): Map<string, string> {
  if (!NAME.test(shortName) || shortName.length > LONGEST_NAME)
    throw new Error(
      `'${shortName}' is not a short name: use at most ${LONGEST_NAME} small letters, digits and single underscores, such as google_drive`,
    );
  const kebab = shortName.replaceAll('_', '-');
  const pascal = shortName.replaceAll(/(?:^|_)([a-z0-9])/g, (_, first: string) =>
    first.toUpperCase(),
  );
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  const renamed = (suffix: string) =>
    readFileSync(`${EXAMPLE}${suffix}.ts`, 'utf8')
      .replaceAll('acme_notes', shortName)
      .replaceAll('acme-notes', kebab)
      .replaceAll('acmeNotes', camel)
      .replaceAll('AcmeNotes', pascal)
      .replaceAll('Acme notes', title);
  const catalog = readFileSync(CATALOG, 'utf8')
    .replace(/(?=import type)/, `import { ${camel} } from './catalog/${kebab}.ts';\n`)
    .replace(/\[([^[\]]*)\](?=\.map\()/, (_, list: string) => `[${withName(list, camel)}]`);
  return new Map([
    [
      `${SRC}/sources/catalog/${kebab}.ts`,
      renamed('').replaceAll("'../../../sources/", "'../").replaceAll("'../../../", "'../../"),
    ],
    [
      `${SRC}/test/sources/${kebab}-peer.ts`,
      renamed('-peer')
        .replaceAll("'../../sources/", "'./")
        .replaceAll("'../../contracts/", "'../contracts/"),
    ],
    [
      `${SRC}/test/sources/${kebab}.test.ts`,
      renamed('.test')
        .replaceAll("'../../sources/", "'./")
        .replaceAll(`'./${kebab}.ts'`, `'../../sources/catalog/${kebab}.ts'`),
    ],
    [CATALOG, catalog],
  ]);
}

/** The folders come first in the catalog, and the other sources follow by name. */
function withName(list: string, name: string): string {
  const names = list.match(/\w+/g) ?? [];
  const next = names.findIndex((other, i) => i > 0 && other > name);
  return names.toSpliced(next === -1 ? names.length : next, 0, name).join(', ');
}

const titleOf = (shortName: string): string =>
  shortName
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

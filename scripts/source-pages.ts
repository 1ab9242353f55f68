/**
 * `npm run source-pages` writes the head of each page in docs/sources/ from the data of its source, and begins a page for
 * each source that has none. What stands below the heads stays as it is. The table of all sources is docs/sources/README.md,
 * and docs/sources/contracts.md tells of the vendors' documents. The tables of docs/documents.md are made, too.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { catalog } from '../packages/server/src/sources/catalog.ts';
import { CONTRACTS } from '../packages/server/src/test/contracts/table.ts';
import { contractPage } from './contract-page.ts';
import { withTables } from './documents-page.ts';
import { answerHelp } from './help.ts';
import { tableOf, withHead } from './source-page.ts';

answerHelp(import.meta.filename);
for (const source of catalog.values())
  write(`docs/sources/${source.shortName}.md`, (before) => withHead(source, before));
write('docs/sources/README.md', () => tableOf(catalog.values()));
write('docs/sources/contracts.md', () => contractPage(Object.values(CONTRACTS)));
write('docs/documents.md', withTables);

function write(path: string, pageOf: (before: string) => string): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const page = pageOf(before);
  if (page === before) return;
  writeFileSync(path, page);
  console.log(`${before === '' ? 'began' : 'changed'} ${path}`);
}

/**
 * `npm run source-pages` writes the head of each page in docs/sources/ from the data of its source, and begins a page for
 * each source that has none. What stands below the heads stays as it is.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { catalog } from '../packages/server/src/sources/catalog.ts';
import { answerHelp } from './help.ts';
import { withHead } from './source-page.ts';

answerHelp(import.meta.filename);
for (const source of catalog.values()) {
  const path = `docs/sources/${source.shortName}.md`;
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const page = withHead(source, before);
  if (page === before) continue;
  writeFileSync(path, page);
  console.log(`${before === '' ? 'began' : 'changed'} ${path}`);
}

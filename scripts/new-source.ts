/**
 * `npm run new:source -- <short_name> [--title "Its Name"]` begins a connector for a cloud service: a source that reads an
 * imagined service of notes, a fake of the service, a test, a page, and a line in the catalog. All of it works; replace
 * the notes with the records of your service. docs/connectors.md says how.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answerHelp } from './help.ts';
import { newSourceFiles } from './new-source-files.ts';

answerHelp(import.meta.filename);
const { values, positionals } = parseArgs({
  options: { title: { type: 'string' } },
  allowPositionals: true,
});
const [shortName, ...more] = positionals;
if (shortName === undefined || more.length > 0) end('give one short name, such as google_drive');

const files = planned(shortName);
const page = `docs/sources/${shortName}.md`;
const taken = [...files.keys(), page].filter(
  (path) => existsSync(path) && !path.endsWith('sources/catalog.ts'),
);
if (taken.length > 0)
  end(`choose another short name, because these files exist: ${taken.join(', ')}`);
for (const [path, text] of files) writeFileSync(path, text);
// A longer name breaks lines elsewhere, and changes the order of imports.
run('node_modules/.bin/biome', 'check', '--write', ...files.keys());
run(process.execPath, 'scripts/source-pages.ts');
console.log(`wrote ${[...files.keys()].join(', ')}
Next: npm test -- ${shortName.replaceAll('_', '-')}, and read docs/connectors.md`);

function planned(name: string): Map<string, string> {
  try {
    return newSourceFiles(name, values.title);
  } catch (error) {
    return end((error as Error).message);
  }
}

function run(command: string, ...words: string[]): void {
  const { status } = spawnSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) end(`${command} ${words[0]} failed`);
}

function end(message: string): never {
  console.error(message);
  process.exit(1);
}

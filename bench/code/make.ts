/**
 * `node bench/code/make.ts <out> <language>=<folder>[,<folder>]...` makes a set of questions about source code from the
 * files of each language: `<out>/<language>.json`. It needs Universal Ctags.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createRandom, shuffled } from '../../packages/server/src/eval/random.ts';
import { words } from '../../packages/server/src/model/terms.ts';
import { stem } from '../../packages/server/src/model/word-table.ts';
import { ask, type SourceFile } from './questions.ts';
import { type CodeSet, EXTENSIONS } from './set.ts';
import { definitionsOf } from './tags.ts';

const SEED = 11;
const MOST_FILES = 150;
const FEWEST_LINES = 60;
const MOST_CHARACTERS = 100_000;
const LEFT_OUT =
  /(?:^|\/)(?:tests?|testing|specs?|fixtures?|dist|vendor|node_modules|examples?)\/|[._-](?:test|spec|min)\./i;

const [out, ...languages] = process.argv.slice(2);
if (out === undefined || languages.length === 0)
  throw new Error('name a folder to write to, and <language>=<folder> for each language');

function filesOf(language: string, folders: readonly string[]): SourceFile[] {
  const extensions = EXTENSIONS.get(language);
  if (!extensions)
    throw new Error(
      `language '${language}' is not known: give one of ${[...EXTENSIONS.keys()].join(', ')}`,
    );
  const paths = folders.flatMap((folder) =>
    globSync(`**/*.{${extensions.join()},}`, { cwd: folder })
      .filter((path) => !LEFT_OUT.test(path))
      .toSorted()
      .map((path) => join(folder, path)),
  );
  const files: SourceFile[] = [];
  const seen = new Set<string>();
  for (const path of shuffled(paths, createRandom(SEED))) {
    if (files.length === MOST_FILES) break;
    const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
    const lines = text.split('\n');
    if (lines.length < FEWEST_LINES || text.length > MOST_CHARACTERS || seen.has(text)) continue;
    seen.add(text);
    const definitions = definitionsOf(path, lines);
    if (definitions.length < 2) continue;
    files.push({ id: `${files.length}`, name: basename(path), lines, definitions });
  }
  return files;
}

function frequencyOf(files: readonly SourceFile[]): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const { lines } of files)
    for (const one of new Set(words(lines.join('\n')).map(stem)))
      frequency.set(one, (frequency.get(one) ?? 0) + 1);
  return frequency;
}

mkdirSync(out, { recursive: true });
for (const argument of languages) {
  const [language = '', folders = ''] = argument.split('=');
  const files = filesOf(language, folders.split(','));
  const frequency = frequencyOf(files);
  const asked = files.map((file, i) => ask(file, { frequency, seed: SEED + i }));
  const set: CodeSet = {
    language,
    documents: files.map(({ id, name }, i) => ({ id, title: name, text: asked[i]!.text })),
    questions: asked.flatMap(({ questions }) => questions),
  };
  writeFileSync(join(out, `${language}.json`), JSON.stringify(set));
  console.log(`${language}: ${files.length} files, ${set.questions.length} questions`);
}

/**
 * `node bench/code/codebase.ts <set> <out>` joins the chunks of the judged set Codebase to the files from which they were
 * cut, so that they can be cut in other ways: `<out>/codebase.json`. Questions with one right chunk are kept; they are
 * about its lines. The set does not name its files, so their languages are recognized by their first words.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocuments, readQueries } from '../../packages/server/src/eval/judged.ts';
import type { Question } from './questions.ts';

const [set, out] = process.argv.slice(2);
if (set === undefined || out === undefined)
  throw new Error('name the folder of the set, and one to write to');

const LANGUAGES: readonly (readonly [string, RegExp])[] = [
  ['cpp', /^#\s*(?:include [<"]|pragma|ifndef)/m],
  [
    'java',
    /^import (?:static )?(?:java|org|com)\.[\w.*]+;$|^public (?:final |abstract )?(?:class|interface|enum) /m,
  ],
  ['rs', /^(?:pub(?:\(\w+\))? )?(?:use [\w:{]+|fn \w+|mod \w+;|struct \w+|impl\b)/m],
  ['go', /^package \w+$/m],
  ['py', /^(?:import \w+|from [\w.]+ import|def \w+\(|class \w+.*:$)/m],
  ['js', /\b(?:function|const|require\()/],
];
const chunks = Map.groupBy(readDocuments(set), ({ id }) => id.split(':')[0]!);
const places = new Map<string, { document: string; first: number; last: number }>();
const documents = [...chunks].map(([hash, parts], i) => {
  let text = '';
  for (const part of parts.toSorted(
    (a, b) => Number(a.id.split(':')[1]) - Number(b.id.split(':')[1]),
  )) {
    const first = text.split('\n').length;
    text += part.text;
    places.set(part.id, {
      document: `${i}`,
      first,
      last: first + part.text.trimEnd().split('\n').length - 1,
    });
  }
  const language = LANGUAGES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'txt';
  return { id: `${i}`, title: `${hash.slice(0, 8)}.${language}`, text };
});
const questions = readQueries(set, null).flatMap(({ text, relevant }): Question[] => {
  const [gold, ...others] = [...relevant.keys()];
  const place = gold === undefined ? undefined : places.get(gold);
  if (!place || others.length > 0) return [];
  return [{ text, kind: 'doc', ...place, anchor: Math.floor((place.first + place.last) / 2) }];
});
mkdirSync(out, { recursive: true });
writeFileSync(
  join(out, 'codebase.json'),
  JSON.stringify({ language: 'codebase', documents, questions }),
);
const counts = new Map<string, number>();
for (const { title } of documents)
  counts.set(title.split('.')[1]!, (counts.get(title.split('.')[1]!) ?? 0) + 1);
console.log(`${documents.length} files, ${questions.length} questions`, Object.fromEntries(counts));

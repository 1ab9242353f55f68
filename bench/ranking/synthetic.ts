/**
 * `node bench/ranking/synthetic.ts <out> <folder>...` makes a judged set from each folder of HTML and Markdown files,
 * on which the weights of the reranker are fitted. Each section of a file becomes a document; every second document
 * keeps its heading as a title. A query has one right document:
 *
 * - heading: the last two headings above a section, which then has no title;
 * - sentence: a sentence without up to two of its words;
 * - keywords: some rare words of a sentence;
 * - title: words of the title and rare words of a sentence.
 *
 * In three of five cases the sentence is removed from the document, because a person who asks in other words finds a
 * text about the same subject, not the same words.
 *
 * A line of the corpus also has the page of the section, so that the sections can be joined again
 * (research/long-documents).
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { htmlToMarkdown } from '../../packages/server/src/documents/html.ts';
import { split } from '../../packages/server/src/documents/split.ts';
import { createRandom } from '../../packages/server/src/eval/random.ts';
import { words } from '../../packages/server/src/model/terms.ts';
import { isStopWord, stem } from '../../packages/server/src/model/word-table.ts';

const MOST_FILES = 500;
const MOST_DOCUMENTS = 2500;
const QUERIES_OF_A_KIND = 70;
const KINDS = ['heading', 'sentence', 'keywords', 'title'] as const;

const random = createRandom(7);
const below = (limit: number) => Math.floor(random() * limit);
const [out, ...folders] = process.argv.slice(2);
if (!out || folders.length === 0) throw new Error('name a folder to write to, and folders to read');

interface Section {
  readonly name: string;
  readonly path: readonly string[];
  text: string;
  readonly page: string;
  /** This is the position among the sections of the page. */
  readonly position: number;
}

function make(folder: string, target: string): void {
  const files = shuffled(globSync('**/*.{html,md}', { cwd: folder }).toSorted()).slice(
    0,
    MOST_FILES,
  );
  const sections = shuffled(distinct(files.flatMap((file) => sectionsOf(join(folder, file)))));
  const documents = sections.slice(0, MOST_DOCUMENTS);
  const frequency = new Map<string, number>();
  for (const { text } of documents)
    for (const one of new Set(words(text).map(stem)))
      frequency.set(one, (frequency.get(one) ?? 0) + 1);
  const left = new Map<string, number>(KINDS.map((kind) => [kind, QUERIES_OF_A_KIND]));
  const corpus: object[] = [];
  const queries: object[] = [];
  const judgements = ['query-id\tcorpus-id\tscore'];
  documents.forEach((section, i) => {
    const kind = KINDS[below(KINDS.length)]!;
    const open = (left.get(kind) ?? 0) > 0;
    const made = open ? ask(section, kind, frequency) : null;
    const title = random() < 0.5 ? section.name : '';
    const { name, page, position } = section;
    corpus.push({
      ...{ id: `${i}`, title: made?.title ?? title, text: made?.text ?? section.text },
      ...{ page, position, section: name },
    });
    if (!made) return;
    left.set(kind, left.get(kind)! - 1);
    queries.push({ id: `q${i}`, text: made.query, kind });
    judgements.push(`q${i}\t${i}\t1`);
  });
  mkdirSync(target, { recursive: true });
  const lines = (items: readonly object[]) =>
    items.map((item) => `${JSON.stringify(item)}\n`).join('');
  writeFileSync(join(target, 'corpus.jsonl'), lines(corpus));
  writeFileSync(join(target, 'queries.jsonl'), lines(queries));
  writeFileSync(join(target, 'qrels.tsv'), `${judgements.join('\n')}\n`);
  console.log(`${target}: ${documents.length} documents, ${queries.length} queries`);
}

function sectionsOf(file: string): Section[] {
  const content = readFileSync(file, 'utf8');
  const text = file.endsWith('.html') ? htmlToMarkdown(content) : content;
  const sections = new Map<string, Section>();
  for (const piece of split({ name: 'file.md', text })) {
    if (piece.heading === null) continue;
    const known = sections.get(piece.heading);
    const path = piece.heading.split(' > ');
    if (known) known.text += `\n\n${piece.text}`;
    else
      sections.set(piece.heading, {
        ...{ name: path.at(-1)!, path, text: piece.text },
        ...{ page: file, position: sections.size },
      });
  }
  return [...sections.values()];
}

/** Returns the sections of a usual length, only one for each beginning. */
function distinct(sections: readonly Section[]): Section[] {
  const seen = new Set<string>();
  return sections.filter(({ text }) => {
    const found = words(text);
    const beginning = found.slice(0, 25).join(' ');
    if (found.length < 25 || found.length > 450 || seen.has(beginning)) return false;
    seen.add(beginning);
    return true;
  });
}

function ask(
  { name, path, text }: Section,
  kind: (typeof KINDS)[number],
  frequency: ReadonlyMap<string, number>,
): { query: string; title?: string; text: string } | null {
  if (kind === 'heading') {
    const query = forget(words(path.slice(-2).join(' ')), 1);
    return enough({ query: query.join(' '), title: '', text });
  }
  const sentences = text
    .replace(/```[\s\S]*?```/g, ' ')
    .split(/(?<=[.!?])\s+(?=[A-Z])|\n\n+/)
    .filter((one) => words(one).length >= 8 && words(one).length <= 30);
  if (sentences.length < 3) return null;
  const sentence = sentences[below(sentences.length)]!;
  const rest = random() < 0.6 ? text.replace(sentence, ' ') : text;
  const rare = () => rarest(sentence, 2 + below(5), frequency);
  if (kind === 'sentence')
    return enough({ query: forget(words(sentence), 2).join(' '), text: rest });
  if (kind === 'keywords') return enough({ query: rare().join(' '), text: rest });
  const named = shuffled(contentOf(name)).slice(0, 1 + below(2));
  if (named.length === 0) return null;
  return enough({ query: [...named, ...rare()].join(' '), title: name, text: rest });
}

const enough = <Made extends { readonly query: string }>(made: Made): Made | null =>
  new Set(contentOf(made.query)).size < 2 ? null : made;

function rarest(sentence: string, count: number, frequency: ReadonlyMap<string, number>): string[] {
  const of = (word: string) => frequency.get(stem(word)) ?? 0;
  const usable = [...new Set(contentOf(sentence))].filter((word) => of(word) > 1);
  const pool = usable.toSorted((a, b) => of(a) - of(b)).slice(0, 2 * count);
  const kept = new Set(shuffled(pool).slice(0, count));
  return words(sentence).filter((word) => kept.delete(word));
}

/** Leaves out up to `most` words, each with a probability of two in five, but keeps at least three. */
function forget(found: string[], most: number): string[] {
  for (let i = 0; i < most; i++)
    if (found.length >= 4 && random() < 0.4) found.splice(below(found.length), 1);
  return found;
}

function contentOf(text: string): string[] {
  return words(text).filter((word) => !isStopWord(word) && word.length > 2);
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

for (const folder of folders) make(folder, join(out, basename(folder)));

/**
 * `node research/long-documents/join.ts <set> <out>` joins the sections of a judged set into whole pages: those of
 * bench/ranking/sets/manuals, whose titles are `page: section`, and those of bench/ranking/synthetic.ts.
 *
 * The judgement of a page is the best one of its sections. `sections.tsv` has the judgements of the sections, and each
 * line of the corpus says where in the page its sections lie.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Only synthetic sets have the page, the name and the position of a section. */
  readonly page?: string;
  readonly section?: string;
  readonly position?: number;
}

const [from, to] = process.argv.slice(2);
if (!from || !to) throw new Error('name the set, and the folder to write to');

const pages = new Map<string, Section[]>();
for (const line of readFileSync(join(from, 'corpus.jsonl'), 'utf8').trimEnd().split('\n')) {
  const section: Section = JSON.parse(line);
  const [name = ''] = section.title.split(': ');
  const page = section.page ?? `${section.id.replace(/-\d+$/, '')}/${name}`;
  pages.set(page, [...(pages.get(page) ?? []), section]);
}

const pageOf = new Map<string, string>();
const corpus = [...pages.values()].map((parts, number) => {
  const ordered = parts.toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0));
  const id = `p${number}`;
  let text = '';
  const sections = ordered.map((part) => {
    if (text !== '') text += '\n\n';
    const start = text.length;
    // The text of a synthetic section begins with its heading.
    const heading = part.page === undefined ? part.title.split(': ').slice(1).join(': ') : '';
    text += `${heading === '' ? '' : `## ${heading}\n\n`}${part.text.trim()}`;
    pageOf.set(part.id, id);
    return { id: part.id, start, end: text.length };
  });
  const title = ordered[0]!.section ?? ordered[0]!.title.split(': ')[0]!;
  return { id, title, text, sections };
});

const grades = new Map<string, number>();
const [columns = '', ...judgements] = readFileSync(join(from, 'qrels.tsv'), 'utf8')
  .trimEnd()
  .split('\n');
for (const judgement of judgements) {
  const [query = '', section = '', grade = ''] = judgement.split('\t');
  const page = `${query}\t${pageOf.get(section)}`;
  grades.set(page, Math.max(grades.get(page) ?? 0, Number(grade)));
}

mkdirSync(to, { recursive: true });
const write = (name: string, lines: readonly string[]) =>
  writeFileSync(join(to, name), `${lines.join('\n')}\n`);
write(
  'corpus.jsonl',
  corpus.map((page) => JSON.stringify(page)),
);
write('qrels.tsv', [columns, ...[...grades].map(([page, grade]) => `${page}\t${grade}`)]);
copyFileSync(join(from, 'queries.jsonl'), join(to, 'queries.jsonl'));
copyFileSync(join(from, 'qrels.tsv'), join(to, 'sections.tsv'));
process.stdout.write(`${to}: ${corpus.length} pages\n`);

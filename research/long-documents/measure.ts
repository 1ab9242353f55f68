/**
 * `node research/long-documents/measure.ts [--overlap <share>] [--front <form>] <set>...` measures nDCG@10 of the
 * reranker on sets of `join.ts`, and on any other set: for pages, and for the sections of pages. A chunk stands for the
 * section with which it shares the most characters.
 *
 * --overlap  each chunk also begins with the last words of the one before it: this share of 160 words --front    the
 * text that is embedded in front of a chunk: heading (as the service does), none, title, or both
 *
 * For other sizes of chunks, change BEST_WORDS, MAX_WORDS, MAX_CHARACTERS and TOLERANCE of documents/split/pack.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChunkSteps, type Prepared, prepare } from '../../bench/ranking/candidates.ts';
import { split } from '../../packages/server/src/documents/split.ts';
import { ndcgsOf } from '../../packages/server/src/eval/fit-weights.ts';
import type { JudgedDocument } from '../../packages/server/src/eval/judged.ts';
import { mean } from '../../packages/server/src/eval/metrics.ts';
import type { Piece } from '../../packages/server/src/model/chunk.ts';
import { RERANK } from '../../packages/server/src/search/rank.ts';

const USUAL_WORDS = 160;
/** This many characters are enough to find the end of a piece. */
const ENDING = 100;
const ONLY_MEANING = Object.fromEntries(
  Object.keys(RERANK).map((name) => [name, name === 'meaning' ? 1 : 0]),
) as typeof RERANK;

const { values: flags, positionals: folders } = parseArgs({
  options: {
    overlap: { type: 'string', default: '0' },
    front: { type: 'string', default: 'heading' },
  },
  allowPositionals: true,
});
const overlap = Math.round(Number(flags.overlap) * USUAL_WORDS);

interface Page {
  readonly id: string;
  readonly text: string;
  readonly sections?: readonly {
    readonly id: string;
    readonly start: number;
    readonly end: number;
  }[];
}

const steps: ChunkSteps = {
  piecesOf: ({ title, text }: JudgedDocument) =>
    placesOf(text, split({ name: title, text })).map(({ piece, start }) => {
      if (overlap === 0) return piece;
      const before = text
        .slice(0, start)
        .split(/(?<=\s)/)
        .slice(-overlap)
        .join('');
      return { ...piece, text: `${before}${piece.text}` };
    }),
  textOf: (title, { heading, text }) => {
    const parts = { none: [], heading: [heading], title: [title], both: [title, heading] };
    const front = parts[flags.front as keyof typeof parts];
    return [...front.filter(Boolean), text].join('\n');
  },
};

process.stdout.write('| set | chunks per page | pages | sections | pages, by meaning alone |\n');
for (const folder of folders) {
  const set = await prepare(folder, steps);
  const pages = linesOf(join(folder, 'corpus.jsonl')).map((line): Page => JSON.parse(line));
  const cells = [
    set.name,
    (set.chunks.length / pages.length).toFixed(1),
    mean(ndcgsOf(set.asked, RERANK)).toFixed(4),
    pages[0]?.sections ? mean(ndcgsOf(bySection(folder, set, pages), RERANK)).toFixed(4) : '',
    mean(ndcgsOf(set.asked, ONLY_MEANING)).toFixed(4),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/** Returns the queries with the sections of their candidates instead of the pages. */
function bySection(folder: string, { asked, chunks }: Prepared, pages: readonly Page[]) {
  const sectionOf = new Map<number, string>();
  for (const { id, text, sections = [] } of pages) {
    const own = chunks.filter(({ entity_id }) => entity_id === id);
    for (const { piece, start, end } of placesOf(text, own)) {
      const shared = (section: { start: number; end: number }) =>
        Math.min(section.end, end) - Math.max(section.start, start);
      sectionOf.set(piece.n, sections.toSorted((a, b) => shared(b) - shared(a))[0]!.id);
    }
  }
  const relevant = new Map<string, Map<string, number>>();
  for (const line of linesOf(join(folder, 'sections.tsv')).slice(1)) {
    const [query = '', section = '', grade = ''] = line.split('\t');
    const grades = relevant.get(query) ?? new Map<string, number>();
    relevant.set(query, grades.set(section, Number(grade)));
  }
  return asked.map((query) => ({
    ...query,
    relevant: relevant.get(query.id)!,
    documents: query.found.map(({ n }) => sectionOf.get(n)!),
  }));
}

/** Finds pieces in their text by their ends, because some begin with a repeated header or with words of the one before. */
function placesOf<Located extends Pick<Piece, 'text'>>(text: string, pieces: readonly Located[]) {
  let before = 0;
  return pieces.map((piece) => {
    const ending = piece.text.slice(-ENDING);
    const at = text.indexOf(ending, before);
    const end = at < 0 ? before : at + ending.length;
    before = end;
    return { piece, start: Math.max(0, end - piece.text.length), end };
  });
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

/** Measures how much of documents whose text is known the readers find again. */
import { tellProgress } from '../../scripts/help.ts';
import { type Made, makeDocuments } from './make.ts';
import {
  NotRead,
  READER_NAMES,
  READERS,
  type Reader,
  type ReaderName,
  readsKind,
} from './readers.ts';
import { type Reading, readingOf, readingOfText } from './reading.ts';
import { type Score, scoreOf, sum } from './score.ts';
import { printTable } from './table.ts';

interface Judged extends Score {
  readonly kind: string;
  readonly reader: ReaderName;
  readonly path: string;
}

const SEED = 1;
const MEASURES = ['words', 'headings', 'levels', 'rows', 'cells'] as const;
type Measure = (typeof MEASURES)[number];

export async function measureQuality({ list }: { readonly list: boolean }): Promise<void> {
  const made = await makeDocuments({ seed: SEED });
  const judged: Judged[] = [];
  const failures: string[] = [];
  for (const reader of READER_NAMES) {
    tellProgress(`${reader} reads`);
    const read = await READERS[reader].open();
    for (const document of made) {
      const { recipe, path } = document;
      if (!readsKind(reader, path)) continue;
      try {
        const reading = await readingBy(reader, await read(path));
        judged.push({ kind: recipe.kind, reader, path, ...scoreOne(document, reading) });
      } catch (error) {
        const why = error instanceof NotRead ? error.message : String(error).slice(0, 200);
        failures.push(`${reader} cannot read ${path}: ${why}`);
      }
    }
  }
  console.log(`Quality: ${made.length} documents\n`);
  printQuality([...new Set(made.map(({ recipe }) => recipe.kind))], judged);
  for (const failure of failures) console.log(failure);
  if (list) printFaults(judged);
}

const scoreOne = ({ recipe, source }: Made, reading: Reading): Score =>
  scoreOf(source, recipe.hasTitle ?? recipe.shape !== 'sheet', reading);

/** Pandoc reads Markdown and HTML for all readers alike. */
async function readingBy(name: ReaderName, text: string): Promise<Reading> {
  const { format }: Reader = READERS[name];
  return format === 'text' ? readingOfText(text) : readingOf(format, { text });
}

function printQuality(kinds: readonly string[], judged: readonly Judged[]): void {
  const head = ['kind', 'reader', 'documents', ...MEASURES];
  const rows = kinds.flatMap((kind) =>
    READER_NAMES.flatMap((reader) => {
      const all = judged.filter((one) => one.kind === kind && one.reader === reader);
      if (all.length === 0) return [];
      const shares = MEASURES.map((measure) => shareText(all, measure));
      return [[kind, reader, String(all.length), ...shares]];
    }),
  );
  printTable(head, rows);
}

function shareText(all: readonly Judged[], which: Measure): string {
  const { right, of } = sum(all.map((one) => one[which]));
  // Rounding down keeps 100 % for what is perfect.
  return of === 0 ? '–' : `${(Math.floor((1000 * right) / of) / 10).toFixed(1)} %`;
}

function printFaults(judged: readonly Judged[]): void {
  for (const { reader, path, faults } of judged)
    if (faults.length > 0) console.log(`\n${reader}, ${path}\n  ${faults.join('\n  ')}`);
}

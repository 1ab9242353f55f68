/** Plants sentences into the sources of documents at known places, and has the documents made. */
import { type Made, makeDocuments } from './make.ts';
import { byLibreOffice, byPandoc, type Recipe } from './recipes.ts';
import { createSentences } from './sentences.ts';
import type { Block, Source, Table } from './source.ts';
import { placeInMade } from './truth.ts';

export interface Planted {
  readonly made: Made;
  readonly sentence: string;
  readonly place: string | null;
}

const SEED = 21;
const SHEETS = ['Budget', 'Travel costs', 'Staff 2025'];
/** The n-th document of a recipe has n chapters, groups of slides, or tens of rows in each sheet. */
const RECIPES: readonly Recipe[] = [
  byPandoc('docx', 7),
  byLibreOffice('docx', 'odt', 5),
  byPandoc('odt', 6),
  byLibreOffice('odt', 'docx', 5),
  byPandoc('rtf', 5),
  byLibreOffice('rtf', 'docx', 5),
  byLibreOffice('doc', 'docx', 7),
  byLibreOffice('doc', 'odt', 5),
  byLibreOffice('pdf', 'docx', 9),
  byLibreOffice('pdf', 'odt', 9),
  byLibreOffice('pdf', 'pptx', 6),
  byPandoc('epub', 10),
  byPandoc('html', 6),
  byLibreOffice('html', 'odt', 5),
  byPandoc('fb2', 8),
  { ...byPandoc('ipynb', 6), hasTitle: false },
  byLibreOffice('fodt', 'docx', 3),
  byPandoc('pptx', 9, 'slides'),
  byLibreOffice('odp', 'pptx', 9),
  byLibreOffice('fodp', 'pptx', 3),
  byLibreOffice('ppt', 'pptx', 9),
  byLibreOffice('xlsx', 'fods', 9),
  byLibreOffice('ods', 'fods', 9),
  byLibreOffice('xls', 'fods', 9),
];

/** Returns the documents, and those whose sentence pdftotext does not find on exactly one page. */
export async function makePlanted(): Promise<{ planted: Planted[]; unclear: Made[] }> {
  const sentence = createSentences(SEED);
  const places = new Map<Source, { sentence: string; place: string | null }>();
  const plantIn = (source: Source, recipe: Recipe, n: number): Source => {
    const drawn = sentence();
    const all = recipe.shape === 'sheet' ? sheetsOf(source.blocks) : source.blocks;
    const { blocks, at } = plant(all, { sentence: drawn, n });
    const changed = { ...source, blocks };
    places.set(changed, { sentence: drawn, place: placeOf(blocks, at, recipe) });
    return changed;
  };
  const planted: Planted[] = [];
  const unclear: Made[] = [];
  for (const made of await makeDocuments({ seed: SEED, recipes: RECIPES, change: plantIn })) {
    const known = places.get(made.source);
    if (known === undefined) throw new Error(`no sentence was planted into ${made.path}`);
    const place = await placeInMade(made.path, known.sentence, known.place);
    if (place === undefined) unclear.push(made);
    else planted.push({ made, sentence: known.sentence, place });
  }
  return { planted, unclear };
}

/** Each way to plant a sentence takes one of these blocks. */
const WAYS: readonly ((block: Block, sentence: string) => Block | undefined)[] = [
  (block, sentence) =>
    block.is === 'paragraph' ? { ...block, text: `${block.text} ${sentence}` } : undefined,
  (block, sentence) =>
    block.is === 'list'
      ? { ...block, items: block.items.toSpliced(1, 0, { text: sentence, items: [] }) }
      : undefined,
  (block, sentence) => (block.is === 'table' ? withCell(block, sentence) : undefined),
  (block, sentence) =>
    block.is === 'paragraph' && block.note !== undefined ? { ...block, note: sentence } : undefined,
];

function withCell(table: Table, sentence: string): Table {
  const at = table.rows.length >> 1;
  const rows = table.rows.map((row, i) => (i === at ? row.with(-1, sentence) : row));
  return { ...table, rows };
}

interface Planting {
  readonly sentence: string;
  /** This number decides where the sentence stands. */
  readonly n: number;
}

/** Puts the sentence into one of the blocks, and returns the index of that block too. */
function plant(
  blocks: readonly Block[],
  { sentence, n }: Planting,
): { readonly blocks: Block[]; readonly at: number } {
  for (let way = 0; way < WAYS.length; way++) {
    const able = blocks.flatMap((block, i) => {
      const planted = WAYS[(n + way) % WAYS.length]?.(block, sentence);
      return planted ? [{ at: i, planted }] : [];
    });
    const chosen = able[(7 * n + 3) % able.length];
    if (chosen) return { at: chosen.at, blocks: blocks.with(chosen.at, chosen.planted) };
  }
  throw new Error('a source has no block for a sentence');
}

/** Divides the table of a source among sheets, each of which repeats its first row. */
function sheetsOf(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block): Block[] => {
    if (block.is !== 'table') return [block];
    const [head = [], ...rows] = block.rows;
    const each = Math.ceil(rows.length / SHEETS.length);
    return SHEETS.flatMap((text, i): Block[] => [
      { is: 'heading', level: 1, text },
      { is: 'table', rows: [head, ...rows.slice(i * each, (i + 1) * each)] },
    ]);
  });
}

/** The page of a PDF is not known before the document is made. */
function placeOf(blocks: readonly Block[], at: number, { kind, shape }: Recipe): string | null {
  if (kind === 'pdf') return null;
  const above = blocks.slice(0, at).flatMap((block) => (block.is === 'heading' ? [block] : []));
  // The title has a slide of its own, and so has each heading.
  if (shape === 'slides') return `slide ${1 + above.length}`;
  if (shape === 'sheet') return `sheet ${above.at(-1)?.text}`;
  return kind === 'epub' ? `chapter ${above.filter(({ level }) => level === 1).length}` : null;
}

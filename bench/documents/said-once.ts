/** Finds in each document that Debian's packages ship a sentence that no other document of the folder says. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { mulberry32 } from '../corpus.ts';
import { evenly, shippedDocuments } from './shipped.ts';
import { pagesOfPdf, pageWith, spaced, textOfHtml } from './truth.ts';

/** A document with its text by a program other than Quarry. */
export interface Shipped {
  readonly path: string;
  /** This is the extension, as `html` or `pdf.gz`. */
  readonly kind: string;
  readonly pages: readonly string[];
}

const PER_KIND: Readonly<Record<string, number>> = { pdf: 90, html: 60, gz: 50 };
const PER_OTHER_KIND = 45;
/** Pandoc needs seconds for a page above this size. */
const MAX_HTML = 200_000;
const MAX_BYTES = 12_000_000;
/** The longest manuals would take most of the time of the sync. */
const MAX_PAGES = 400;
const TRIES = 20;
const SEED = 5;

const MOST_WORDS = 15;
/** Headings, items and cells have lines of their own, many of which begin with a capital letter. */
const PARTS = /\n\s*\n|-\n|\n(?=\s*\p{Lu})/u;
/** A run has eight words or more, with nothing but spaces and commas between them, and ends at a full stop or before other text. */
const RUN = /(?<![^\s])(\p{L}[\p{L}\p{M}'’-]*(?:,?\s+\p{L}[\p{L}\p{M}'’-]*){7,})([.?!](?!\S))?/gu;

/** Reads so many documents of each kind. `folder` holds files that were unpacked. */
export async function readShipped(folder: string): Promise<Shipped[]> {
  const kinds = Map.groupBy(shippedDocuments().filter(isSmall), (path) => extname(path).slice(1));
  const chosen = [...kinds].flatMap(([kind, paths]) =>
    evenly(paths, PER_KIND[kind] ?? PER_OTHER_KIND),
  );
  const read: Shipped[] = [];
  for (const path of chosen) {
    const text = await textOf(path, folder);
    if (text.pages.length <= MAX_PAGES) read.push({ path, ...text });
  }
  return read;
}

function isSmall(path: string): boolean {
  const { size } = statSync(path);
  return size <= (/\.html(?:\.gz)?$/.test(path) ? MAX_HTML : MAX_BYTES);
}

async function textOf(path: string, folder: string): Promise<Pick<Shipped, 'kind' | 'pages'>> {
  const kind = extname(path).slice(1);
  switch (kind) {
    case 'pdf':
      return { kind, pages: await pagesOfPdf(path) };
    case 'html':
      return { kind, pages: [await textOfHtml(path)] };
    case 'gz': {
      const unpacked = join(folder, basename(path, '.gz'));
      writeFileSync(unpacked, gunzipSync(readFileSync(path)));
      const inner = await textOf(unpacked, folder);
      return { ...inner, kind: inner.kind === 'pdf' ? 'pdf.gz' : kind };
    }
    case 'xml':
    case 'svg':
      return { kind, pages: [withoutMarkup(readFileSync(path, 'utf8'))] };
    default:
      return { kind, pages: [readFileSync(path, 'utf8')] };
  }
}

const withoutMarkup = (xml: string): string =>
  xml
    .replaceAll(/<(script|style)\b.*?<\/\1>|<!--.*?-->|<!\[CDATA\[|\]\]>/gs, '\n\n')
    .replaceAll(/<[^>]*>|&[^;]*;/g, '\n\n');

const compact = (text: string): string => spaced(text).replaceAll(' ', '');

export interface SaidOnce {
  readonly document: Shipped;
  readonly sentence: string;
  readonly place: string | null;
}

/** Leaves out documents in which no sentence was found that stands in no other and, with pages, on one page. */
export function sentencesSaidOnce(documents: readonly Shipped[]): SaidOnce[] {
  const texts = documents.map(({ pages }) => pages.map(spaced));
  // Without spaces, words that were hyphenated at the end of a line are like others.
  const wholes = texts.map((pages) => compact(pages.join('')));
  const random = mulberry32(SEED);
  return documents.flatMap((document, i) => {
    const runs = runsIn(document.pages.join('\n\n'));
    for (let tries = 0; tries < TRIES && runs.length > 0; tries++) {
      const [sentence = ''] = runs.splice(Math.floor(random() * runs.length), 1);
      const place = pageWith(sentence, texts[i] ?? []);
      const words = compact(sentence);
      if (place === undefined || wholes.some((text, other) => other !== i && text.includes(words)))
        continue;
      return [{ document, sentence, place: document.kind.startsWith('pdf') ? place : null }];
    }
    return [];
  });
}

/** Returns the sentences of a text, or other runs of words if it has no sentences, as a list of files. */
function runsIn(text: string): string[] {
  const runs = text
    .split(PARTS)
    .flatMap((part) => [...part.matchAll(RUN)])
    .map(([, run = '', end]) => ({ words: run.split(/\s+/), isEnded: end !== undefined }))
    .filter(({ words }) => words.filter((word) => word.length >= 4).length >= 5);
  const sentences = runs.filter(
    ({ words: [first = ''], isEnded }) => isEnded && /^\p{Lu}/u.test(first),
  );
  const chosen = sentences.length > 0 ? sentences : runs;
  return chosen.map(({ words }) => words.slice(0, MOST_WORDS).join(' '));
}

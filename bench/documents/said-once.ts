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

const PER_KIND: Readonly<Record<string, number>> = { pdf: 90, html: 60, gz: 70 };
const PER_OTHER_KIND = 45;
/** Pandoc needs seconds for a page above this size. */
const MAX_HTML = 200_000;
const MAX_BYTES = 12_000_000;
const TRIES = 20;
const SEED = 5;

/** Reads so many documents of each kind. `folder` holds files that were unpacked. */
export async function readShipped(folder: string): Promise<Shipped[]> {
  const kinds = Map.groupBy(shippedDocuments().filter(isSmall), (path) => extname(path).slice(1));
  const chosen = [...kinds].flatMap(([kind, paths]) =>
    evenly(paths, PER_KIND[kind] ?? PER_OTHER_KIND),
  );
  const read: Shipped[] = [];
  for (const path of chosen) read.push({ path, ...(await textOf(path, folder)) });
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
      return { kind, pages: [readFileSync(path, 'utf8').replaceAll(/<[^>]*>|&[^;]*;/g, '\n\n')] };
    default:
      return { kind, pages: [readFileSync(path, 'utf8')] };
  }
}

export interface SaidOnce {
  readonly document: Shipped;
  readonly sentence: string;
  readonly place: string | null;
}

/** Leaves out documents in which no sentence was found that stands in no other and, with pages, on one page. */
export function sentencesSaidOnce(documents: readonly Shipped[]): SaidOnce[] {
  const texts = documents.map(({ pages }) => pages.map(spaced));
  const wholes = texts.map((pages) => pages.join(''));
  const random = mulberry32(SEED);
  return documents.flatMap((document, i) => {
    const runs = document.pages.flatMap(runsIn);
    for (let tries = 0; tries < TRIES && runs.length > 0; tries++) {
      const [sentence = ''] = runs.splice(Math.floor(random() * runs.length), 1);
      const place = pageWith(sentence, texts[i] ?? []);
      const words = spaced(sentence);
      if (place === undefined || wholes.some((text, other) => other !== i && text.includes(words)))
        continue;
      return [{ document, sentence, place: document.kind.startsWith('pdf') ? place : null }];
    }
    return [];
  });
}

/** Returns runs of 8 to 15 words, with nothing but spaces and commas between them, within one sentence. */
function runsIn(text: string): string[] {
  return text
    .split(/\n\s*\n|[.!?:;]\s|-\n/)
    .flatMap((part) => part.split(/[^\p{L}\p{M}\s,'’-]+/u))
    .flatMap((part) => {
      const words = part.trim().split(/\s+/);
      const isProse =
        words.every((word) => /^\p{L}[\p{L}\p{M}'’-]*,?$/u.test(word)) &&
        words.filter((word) => word.length >= 4).length >= 5;
      return words.length >= 8 && isProse ? [words.slice(0, 15).join(' ')] : [];
    });
}

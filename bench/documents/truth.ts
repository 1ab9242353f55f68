/** Says on which page a sentence stands, as programs other than Quarry read the documents. */
import { extname } from 'node:path';
import { run } from './programs.ts';
import { wordsIn } from './words.ts';

const MAX_OUTPUT = 1e9;

/** A record that a search must find with a sentence that no other record of the folder has. */
export interface Expected {
  /** This is the kind in the table. */
  readonly kind: string;
  /** Quarry names the record by its path in the folder, as `d1/plan.docx` or `d1/pack.zip!/plan.docx`. */
  readonly record: string;
  readonly sentence: string;
  /** The sentence stands at this place, if the kind has places. */
  readonly place: string | null;
}

/** Returns the words of a text in small letters, with a space before and after each. */
export const spaced = (text: string): string => ` ${wordsIn(text.toLowerCase()).join(' ')} `;

/** Returns the text of each page, as pdftotext reads it. */
export async function pagesOfPdf(path: string): Promise<string[]> {
  const { stdout } = await run('pdftotext', [path, '-'], { maxBuffer: MAX_OUTPUT });
  // A form feed ends each page.
  return stdout.split('\f').slice(0, -1);
}

/** Returns the text of an HTML page, as pandoc reads it. */
export async function textOfHtml(path: string): Promise<string> {
  const arguments_ = ['--from=html', '--to=plain', '--wrap=none', path];
  return (await run('pandoc', arguments_, { maxBuffer: MAX_OUTPUT })).stdout;
}

/** Returns the place of a page, or undefined when the sentence is on no page or on several. `pages` are `spaced`. */
export function pageWith(sentence: string, pages: readonly string[]): string | undefined {
  const words = spaced(sentence);
  const on = pages.flatMap((page, i) => (page.includes(words) ? [i + 1] : []));
  return on.length === 1 ? `page ${on[0]}` : undefined;
}

/** Returns the place of a sentence in a file that was made, or undefined when pdftotext does not find it on one page. */
export async function placeInMade(
  path: string,
  sentence: string,
  known: string | null,
): Promise<string | null | undefined> {
  if (extname(path) !== '.pdf') return known;
  return pageWith(sentence, (await pagesOfPdf(path)).map(spaced));
}

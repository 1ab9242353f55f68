/** Reads the texts of a DOCX that stand beside its running text: footnotes, endnotes and comments. */
import type { Aside } from '../comments.ts';
import type { OfficePackage } from '../package.ts';
import { attribute } from '../xml.ts';
import { textHandler } from './elements.ts';
import { newWalk, openBeside, type WordContext } from './walk.ts';

/** Word draws these notes between the text and the notes. */
const SEPARATORS = /^(?:separator|continuationSeparator|continuationNotice)$/;

export type AsideElement = 'footnote' | 'endnote' | 'comment';

/** Returns the texts by the ids that references to them have. */
export function readAsides(
  document: OfficePackage,
  { path, element }: { readonly path: string | undefined; readonly element: AsideElement },
  context: Omit<WordContext, 'notes' | 'noted' | 'chunks'>,
): Map<string, Aside> {
  const asides = new Map<string, Aside>();
  const walk = newWalk({ ...context, notes: new Map(), noted: new Map(), chunks: new Map() });
  const open = textHandler(walk, {
    [element]: (_, attributes) => {
      if (SEPARATORS.test(attribute(attributes, 'type') ?? '')) return 'skip';
      return openBeside(walk, (text) => {
        if (text === '') return;
        const author = (attribute(attributes, 'author') ?? '').slice(0, 200);
        asides.set(attribute(attributes, 'id') ?? '', { text, author });
      });
    },
  });
  document.read(path, open);
  return asides;
}

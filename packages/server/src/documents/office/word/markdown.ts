/**
 * Turns the parts of a DOCX into Markdown. Headers and footers are left out: they repeat on every page, and mostly say
 * what the title and the properties say too.
 */
import type { Container, Converted } from '../../convert.ts';
import type { Omission } from '../../omission.ts';
import { TOO_MUCH_TEXT } from '../../too-much-text.ts';
import type { Aside } from '../comments.ts';
import { mainPart, type OfficePackage, partOf } from '../package.ts';
import { coreProperties } from '../properties.ts';
import { type AsideElement, readAsides } from './asides.ts';
import { readChunks } from './chunks.ts';
import { textHandler } from './elements.ts';
import { readNumbering } from './numbering.ts';
import { readStyles } from './styles.ts';
import { endJoined, isTooLong, newWalk, type WordContext } from './walk.ts';

/** Throws a SourceError 'skip' when the document is broken. */
export async function wordToMarkdown(
  document: OfficePackage,
  container: Container,
): Promise<Converted | Omission> {
  const main = mainPart(document, 'word/document.xml');
  const relations = document.relations(main);
  const styles = readStyles(document, partOf(relations, 'styles'));
  const numbering = readNumbering(document, partOf(relations, 'numbering'));
  const asides = (part: string, element: AsideElement, comments: Map<string, Aside>) =>
    readAsides(
      document,
      { path: partOf(relations, part), element },
      { styles, numbering, comments },
    );
  const comments = asides('comments', 'comment', new Map());
  const notes = new Map<string, Aside>();
  for (const [id, note] of asides('footnotes', 'footnote', comments))
    notes.set(`footnote ${id}`, note);
  for (const [id, note] of asides('endnotes', 'endnote', comments))
    notes.set(`endnote ${id}`, note);
  const chunks = await readChunks(document, relations, container);
  const context: WordContext = { styles, numbering, notes, comments, noted: new Map(), chunks };

  const walk = newWalk(context);
  document.read(main, textHandler(walk));
  endJoined(walk);
  if (isTooLong(walk)) return TOO_MUCH_TEXT;
  for (const [key, number] of context.noted)
    walk.blocks.item({ level: 0, label: `${number}.` }, notes.get(key)?.text ?? '');
  return { text: walk.blocks.result(), ...coreProperties(document) };
}

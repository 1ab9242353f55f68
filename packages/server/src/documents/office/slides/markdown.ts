/** Turns the parts of a PPTX into Markdown, one slide after the other. Hidden slides are read too. */

import { newBudget, type TextBudget } from '../../budget.ts';
import type { Converted } from '../../convert.ts';
import type { Omission } from '../../omission.ts';
import { createPaged } from '../../paged.ts';
import { TOO_MUCH_TEXT } from '../../too-much-text.ts';
import { createBlocks } from '../blocks.ts';
import { commentLine } from '../comments.ts';
import { drawingText } from '../drawing-text.ts';
import { mainPart, type OfficePackage } from '../package.ts';
import { coreProperties } from '../properties.ts';
import { prefixedAttribute } from '../xml.ts';
import { readSlide } from './slide.ts';
import { readCommentAuthors, readSlideComments } from './slide-comments.ts';

/** Throws a SourceError 'skip' when the document is broken. */
export function slidesToMarkdown(document: OfficePackage): Converted | Omission {
  const main = mainPart(document, 'ppt/presentation.xml');
  const relations = document.relations(main);
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  // A slide is read once, however often it is named.
  const slides = new Set<string>();
  document.read(main, {
    open(name, attributes) {
      const path = name === 'sldId' ? targets.get(prefixedAttribute(attributes, 'id') ?? '') : '';
      if (path) slides.add(path);
      return undefined;
    },
  });
  const budget = newBudget();
  const authors = readCommentAuthors(document, relations);
  const paged = createPaged();
  let number = 0;
  for (const path of slides) {
    number++;
    const text = slideToMarkdown(document, path, { number, budget, authors });
    paged.add(`slide ${number}`, text);
    if (budget.left < 0 || paged.isFull) return TOO_MUCH_TEXT;
  }
  return { ...paged.result(), ...coreProperties(document) };
}

interface SlideContext {
  /** The first slide has the number 1. */
  readonly number: number;
  readonly budget: TextBudget;
  readonly authors: ReadonlyMap<string, string>;
}

function slideToMarkdown(
  document: OfficePackage,
  path: string,
  { number, budget, authors }: SlideContext,
): string {
  const { title, body } = readSlide(document, path, { isNotes: false, budget });
  const relations = document.relations(path);
  const related = (type: string) =>
    relations.filter((relation) => relation.type === type).map(({ target }) => target);
  const blocks = createBlocks();
  // Without a heading, the text would seem to belong to the slide before.
  blocks.heading(2, title === '' ? `Slide ${number}` : title);
  blocks.markdown(body);
  for (const diagram of related('diagramData'))
    for (const text of drawingText(document, diagram)) blocks.item({ level: 0, label: '' }, text);
  for (const chart of related('chart'))
    for (const text of drawingText(document, chart, { inside: 'title' })) blocks.paragraph(text);
  for (const notes of related('notesSlide')) {
    const spoken = readSlide(document, notes, { isNotes: true, budget }).body;
    if (spoken === '') continue;
    blocks.paragraph('Notes:');
    blocks.markdown(spoken);
  }
  for (const comments of related('comments'))
    for (const comment of readSlideComments(document, comments, authors))
      blocks.paragraph(commentLine(comment));
  return blocks.result();
}

/** Turns the parts of an XLSX into Markdown, one sheet after the other. Hidden sheets are read too: a search may need them. */

import { newBudget } from '../../budget.ts';
import type { Converted } from '../../convert.ts';
import type { Omission } from '../../omission.ts';
import { createPaged } from '../../paged.ts';
import { TOO_MUCH_TEXT } from '../../too-much-text.ts';
import { createBlocks } from '../blocks.ts';
import { drawingText } from '../drawing-text.ts';
import { type OfficePackage, partOf } from '../package.ts';
import { coreProperties } from '../properties.ts';
import { readSheet } from './sheet.ts';
import { readSheetComments } from './sheet-comments.ts';
import { sheetName } from './sheet-name.ts';
import { readWorkbook } from './workbook.ts';

/** Throws a SourceError 'skip' when the document is broken. */
export function sheetsToMarkdown(document: OfficePackage): Converted | Omission {
  const workbook = readWorkbook(document);
  if (workbook.texts === null) return TOO_MUCH_TEXT;
  const budget = newBudget();
  const paged = createPaged();
  for (const sheet of workbook.sheets) {
    const relations = document.relations(sheet.path);
    const blocks = createBlocks();
    const name = sheetName(sheet.name);
    blocks.heading(2, name);
    blocks.markdown(readSheet(document, sheet.path, { workbook, budget }));
    const { persons } = workbook;
    const drawn = drawingText(document, partOf(relations, 'drawing'));
    for (const line of [...drawn, ...readSheetComments(document, relations, { persons, budget })])
      blocks.paragraph(line);
    paged.add(`sheet ${name}`, blocks.result());
    if (budget.left < 0 || paged.isFull) return TOO_MUCH_TEXT;
  }
  return { ...paged.result(), ...coreProperties(document) };
}

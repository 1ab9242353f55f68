/** Turns a text document of OpenDocument into Markdown. Headers and footers, which repeat on every page, are left out. */

import { newBudget } from '../../budget.ts';
import type { Converted } from '../../convert.ts';
import type { Omission } from '../../omission.ts';
import { TOO_MUCH_TEXT } from '../../too-much-text.ts';
import { readOdf } from './document.ts';
import { newOdfText } from './state.ts';
import { createOdfStyles } from './styles.ts';
import { add, openText, writeNotes } from './text.ts';

/** Throws a SourceError 'skip' when the document is broken. */
export function odfTextToMarkdown(bytes: Uint8Array, what: string): Converted | Omission {
  const budget = newBudget();
  const text = newOdfText(createOdfStyles(), budget);
  const about = readOdf(bytes, what, {
    open: (name, attributes) => openText(text, name, attributes),
    text: (data) => add(text, data.replaceAll(/\s+/g, ' ')),
    isDone: () => budget.left < 0,
  });
  if (budget.left < 0) return TOO_MUCH_TEXT;
  writeNotes(text);
  return { text: text.blocks.result(), ...about };
}

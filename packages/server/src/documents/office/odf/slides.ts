/** Turns slides of OpenDocument (ODF 1.3 part 3, 10) into Markdown, one slide after the other. Hidden slides are read too. */
import { inOneLine } from '../../../util.ts';
import { newBudget } from '../../budget.ts';
import type { Converted } from '../../convert.ts';
import type { Omission } from '../../omission.ts';
import { createPaged } from '../../paged.ts';
import { TOO_MUCH_TEXT } from '../../too-much-text.ts';
import type { XmlAttributes } from '../../xml/parse.ts';
import { createBlocks } from '../blocks.ts';
import { attribute, type CloseElement } from '../xml.ts';
import { readOdf } from './document.ts';
import { newOdfText, type OdfText } from './state.ts';
import { createOdfStyles } from './styles.ts';
import { add, openText, writeNotes } from './text.ts';

/** These repeat on every slide. */
const LEFT_OUT = /^(?:header|footer|date-time|page-number|page)$/;

/** Throws a SourceError 'skip' when the document is broken. */
export function odfSlidesToMarkdown(bytes: Uint8Array, what: string): Converted | Omission {
  const budget = newBudget();
  const styles = createOdfStyles();
  const paged = createPaged();
  let text = newOdfText(styles, budget);
  let number = 0;
  let title = '';
  let spoken = '';
  let inNotes = false;

  function openSlide(): CloseElement {
    text = newOdfText(styles, budget);
    title = '';
    spoken = '';
    number++;
    return () => {
      writeNotes(text);
      const blocks = createBlocks();
      // Without a heading, the text would seem to belong to the slide before.
      blocks.heading(2, title === '' ? `Slide ${number}` : title);
      blocks.markdown(text.blocks.result());
      if (spoken !== '') blocks.paragraph('Notes:');
      blocks.markdown(spoken);
      paged.add(`slide ${number}`, blocks.result());
      text = newOdfText(styles, budget);
    };
  }

  function openShape(attributes: XmlAttributes): CloseElement | 'skip' | undefined {
    const kind = attribute(attributes, 'class') ?? '';
    if (LEFT_OUT.test(kind) || (inNotes && kind !== 'notes')) return 'skip';
    if (kind !== 'title') return undefined;
    return apart(text, (markdown) => {
      title = inOneLine(`${title} ${markdown}`);
    });
  }

  function openNotes(): CloseElement {
    inNotes = true;
    const close = apart(text, (markdown) => {
      spoken = markdown;
    });
    return () => {
      inNotes = false;
      close();
    };
  }

  const about = readOdf(bytes, what, {
    open(name, attributes) {
      switch (name) {
        case 'page':
          return openSlide();
        case 'frame':
        case 'custom-shape':
        case 'page-thumbnail':
          return openShape(attributes);
        case 'notes':
          return openNotes();
        default:
          return openText(text, name, attributes);
      }
    },
    text: (data) => add(text, data.replaceAll(/\s+/g, ' ')),
    isDone: () => budget.left < 0,
  });
  return budget.left < 0 ? TOO_MUCH_TEXT : { ...paged.result(), ...about };
}

/** Reads blocks that do not stand in the body of the slide. */
function apart(text: OdfText, use: (markdown: string) => void): CloseElement {
  const { blocks } = text;
  const own = createBlocks();
  text.blocks = own;
  return () => {
    text.blocks = blocks;
    use(own.result());
  };
}

/**
 * Reads the text of OpenDocument (ODF 1.3 part 3, 5 to 10) in text documents and slides: paragraphs, headings, lists,
 * tables, notes and comments. Paragraphs nest, because a frame may be inside of the paragraph to which it is anchored.
 */
import { inOneLine } from '../../../util.ts';
import type { XmlAttributes } from '../../xml/parse.ts';
import { createBlocks } from '../blocks.ts';
import { type Aside, commentLine } from '../comments.ts';
import { attribute, type CloseElement, numberIn } from '../xml.ts';
import { openItem, openList } from './lists.ts';
import { MAX_NESTED, type OdfParagraph, type OdfText } from './state.ts';
import { itemLabel, type OdfStyle } from './styles.ts';
import { openCell, openRow, openTable } from './tables.ts';

const MOST_SPACES = 100;

type OdfOpener = (text: OdfText, attributes: XmlAttributes) => CloseElement | 'skip' | undefined;

const leftOut: OdfOpener = () => 'skip';
const openShape: OdfOpener = (text) => {
  const { inShape } = text;
  text.inShape = true;
  return () => {
    text.inShape = inShape;
  };
};

const OPENERS: Readonly<Record<string, OdfOpener>> = {
  p: block((text, attributes) => openParagraph(text, attributes, 0)),
  h: block((text, attributes) =>
    openParagraph(text, attributes, numberIn(attribute(attributes, 'outline-level'), 10) || 1),
  ),
  s(text, attributes) {
    add(text, ' '.repeat(numberIn(attribute(attributes, 'c'), MOST_SPACES) ?? 1));
    return undefined;
  },
  tab(text) {
    add(text, '\t');
    return undefined;
  },
  'line-break'(text) {
    add(text, '\n');
    return undefined;
  },
  span: ({ styles }, attributes) =>
    styles.get('text', attribute(attributes, 'style-name')).isHidden ? 'skip' : undefined,
  section: (_, attributes) => (isHiddenSection(attributes) ? 'skip' : undefined),
  list: block(openList),
  'list-item': openItem,
  table: block(openTable),
  'table-row': openRow,
  'table-cell': openCell,
  'covered-table-cell': openCell,
  frame: openShape,
  g: openShape,
  'custom-shape': openShape,
  'text-box': openFrame,
  // The title of a shape mostly names its file. In running text, it is a field with the title of the document.
  title: ({ inShape }) => (inShape ? 'skip' : undefined),
  desc: (text) => collect(text, (description) => addAlternative(text, description)),
  note: openNote,
  annotation: openAnnotation,
  // In running text, it is a field with the name of the person who has changed the document last.
  creator: (text) =>
    text.paragraph || text.author === null
      ? undefined
      : collect(text, (author) => {
          text.author = author;
        }),
  // Deleted text is kept here.
  'tracked-changes': leftOut,
  'note-citation': leftOut,
  'hidden-text': (_, attributes) => (isHiddenNow(attributes) ? 'skip' : undefined),
  'hidden-paragraph'({ paragraph }, attributes) {
    if (paragraph && isHiddenNow(attributes)) paragraph.isHidden = true;
    return undefined;
  },
  'ruby-text': leftOut,
  'binary-data': leftOut,
  'master-styles': leftOut,
  forms: leftOut,
  object: leftOut,
};

/** This is what the condition said when the document was saved. */
const isHiddenNow = (attributes: XmlAttributes): boolean =>
  attribute(attributes, 'is-hidden') === 'true';

function isHiddenSection(attributes: XmlAttributes): boolean {
  const display = attribute(attributes, 'display');
  return display === 'none' || (display === 'condition' && isHiddenNow(attributes));
}

/** A block inside of a paragraph belongs to a shape, and is written after the paragraph. */
function block(open: OdfOpener): OdfOpener {
  return (text, attributes) => {
    const closeShape = openFrame(text);
    const close = open(text, attributes);
    if (!closeShape) return close;
    if (close !== 'skip')
      return () => {
        close?.();
        closeShape();
      };
    closeShape();
    return 'skip';
  };
}

/** Opens an element of the content, or of a style. */
export function openText(
  text: OdfText,
  name: string,
  attributes: XmlAttributes,
): CloseElement | 'skip' | undefined {
  if (Object.hasOwn(OPENERS, name)) return OPENERS[name]!(text, attributes);
  return text.styles.open(name, attributes);
}

/** Takes in text, which counts only inside of a paragraph or a field. */
export function add({ field, paragraph, budget }: OdfText, data: string): void {
  const parts = field ?? paragraph?.parts;
  if (!parts) return;
  budget.left -= data.length;
  parts.push(data);
}

function collect(text: OdfText, use: (value: string) => void): CloseElement {
  const { field } = text;
  const own: string[] = [];
  text.field = own;
  return () => {
    text.field = field;
    use(inOneLine(own.join('')));
  };
}

function addAlternative(text: OdfText, description: string): void {
  if (text.paragraph) text.paragraph.parts.push(` ${description} `);
  else text.blocks.paragraph(description);
}

function openParagraph(
  text: OdfText,
  attributes: XmlAttributes,
  heading: number,
): CloseElement | 'skip' {
  const style = text.styles.get('paragraph', attribute(attributes, 'style-name'));
  if (style.isHidden) return 'skip';
  const { paragraph: outer, inShape } = text;
  const notesBefore = text.notes.length;
  const own: OdfParagraph = { parts: [], after: [], isHidden: false };
  text.paragraph = own;
  text.inShape = false;
  return () => {
    text.paragraph = outer;
    text.inShape = inShape;
    if (own.isHidden) {
      text.notes.length = notesBefore;
      return;
    }
    write(text, { paragraph: own.parts.join(''), heading, style });
    for (const after of own.after) after(text.blocks);
  };
}

function write(
  text: OdfText,
  {
    paragraph,
    heading,
    style,
  }: { readonly paragraph: string; readonly heading: number; readonly style: OdfStyle },
): void {
  const { blocks, list } = text;
  // White space is collapsed, but code keeps that of the elements for spaces and tabs.
  if (paragraph.trim() === '') return;
  if (heading > 0 || style.isTitle) blocks.heading(heading || 1, paragraph);
  else if (list && list.item !== 'none') {
    const level = text.styles.list(list.style, list.level);
    const label = list.item === 'begun' ? itemLabel(list.counters, level) : null;
    list.item = 'continued';
    blocks.item({ level: list.level, label }, paragraph);
  } else if (style.isCode) blocks.code(paragraph);
  else blocks.paragraph(paragraph);
}

/** Reads blocks that stand beside the running text. */
function openBeside(text: OdfText, use: (markdown: string) => void): CloseElement {
  const { blocks, paragraph, list } = text;
  const own = createBlocks();
  text.blocks = own;
  text.paragraph = null;
  text.list = null;
  return () => {
    text.blocks = blocks;
    text.paragraph = paragraph;
    text.list = list;
    use(own.result());
  };
}

/** A shape that is not inside of a paragraph is a part of the running text. */
function openFrame(text: OdfText): CloseElement | undefined {
  const { paragraph } = text;
  if (!paragraph || text.frames === MAX_NESTED) return undefined;
  text.frames++;
  const close = openBeside(text, (markdown) =>
    paragraph.after.push((blocks) => blocks.markdown(markdown)),
  );
  return () => {
    text.frames--;
    close();
  };
}

function openNote(text: OdfText): CloseElement {
  return openBeside(text, (note) => {
    text.notes.push(note);
    add(text, `[${text.notes.length}]`);
  });
}

function openAnnotation(text: OdfText): CloseElement | 'skip' {
  const { author, paragraph } = text;
  if (author !== null) return 'skip';
  text.author = '';
  return openBeside(text, (markdown) => {
    const comment: Aside = { author: (text.author ?? '').slice(0, 200), text: markdown };
    text.author = null;
    const line = commentLine(comment);
    if (markdown === '') return;
    if (paragraph) paragraph.after.push((blocks) => blocks.paragraph(line));
    else text.blocks.paragraph(line);
  });
}

/** Writes the notes as a numbered list. */
export function writeNotes({ blocks, notes }: OdfText): void {
  for (const [i, note] of notes.entries()) blocks.item({ level: 0, label: `${i + 1}.` }, note);
}

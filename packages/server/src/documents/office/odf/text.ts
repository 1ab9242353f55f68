/**
 * Reads the text of OpenDocument (ODF 1.3 part 3, 5 to 10) in text documents and slides: paragraphs, headings, lists,
 * tables, notes and comments. Paragraphs nest, because a frame may be inside of the paragraph to which it is anchored.
 */

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
  p: (text, attributes) => openParagraph(text, attributes, 0),
  h: (text, attributes) =>
    openParagraph(text, attributes, numberIn(attribute(attributes, 'outline-level'), 10) || 1),
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
    styles.get(attribute(attributes, 'style-name')).isHidden ? 'skip' : undefined,
  section: (_, attributes) => (attribute(attributes, 'display') === 'none' ? 'skip' : undefined),
  list: openList,
  'list-item': openItem,
  table: openTable,
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
  creator: (text) =>
    collect(text, (author) => {
      text.author = author;
    }),
  // Deleted text is kept here.
  'tracked-changes': leftOut,
  'note-citation': leftOut,
  'hidden-text': (_, attributes) =>
    attribute(attributes, 'is-hidden') === 'true' ? 'skip' : undefined,
  'ruby-text': leftOut,
  'binary-data': leftOut,
  'master-styles': leftOut,
  forms: leftOut,
  object: leftOut,
};

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
    use(own.join('').replaceAll(/\s+/g, ' ').trim());
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
  const style = text.styles.get(attribute(attributes, 'style-name'));
  if (style.isHidden) return 'skip';
  const { paragraph: outer, inShape } = text;
  const own: OdfParagraph = { parts: [], after: [] };
  text.paragraph = own;
  text.inShape = false;
  return () => {
    text.paragraph = outer;
    text.inShape = inShape;
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

/** A frame that is not inside of a paragraph is a part of the running text. */
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

function openAnnotation(text: OdfText): CloseElement {
  const { author, paragraph } = text;
  text.author = '';
  return openBeside(text, (markdown) => {
    const comment: Aside = { author: text.author.slice(0, 200), text: markdown };
    text.author = author;
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

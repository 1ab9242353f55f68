/** Says what each element of the text of a DOCX means (ECMA-376 part 1, 17). Other elements are only passed through. */
import type { XmlAttributes } from '../../xml/parse.ts';
import { openFormula } from '../formula.ts';
import {
  attribute,
  type CloseElement,
  isOn,
  numberIn,
  prefixedAttribute,
  type XmlHandler,
} from '../xml.ts';
import { headingOf } from './styles.ts';
import { symbol } from './symbols.ts';
import {
  addChunk,
  addComment,
  addNote,
  addText,
  isTooLong,
  openCell,
  openParagraph,
  openRow,
  openTable,
  openTextBox,
  type WordParagraph,
  type WordWalk,
} from './walk.ts';

/** Word allows 63 columns. */
const MOST_COLUMNS = 63;
const DEEPEST_ITEM = 8;

type WordOpener = (walk: WordWalk, attributes: XmlAttributes) => CloseElement | 'skip' | undefined;

const ownValue = (attributes: XmlAttributes) => attribute(attributes, 'val');
const leftOut: WordOpener = () => 'skip';
const writes =
  (text: string): WordOpener =>
  (walk) => {
    addText(walk, text);
    return undefined;
  };
const deleted: WordOpener = (walk) => {
  if (walk.inParagraphProperties && walk.paragraph) walk.paragraph.isJoined = true;
  else if (walk.inRowProperties && walk.table) walk.table.isRowDeleted = true;
  return 'skip';
};
const note =
  (kind: 'footnote' | 'endnote'): WordOpener =>
  (walk, attributes) => {
    addNote(walk, `${kind} ${attribute(attributes, 'id')}`);
    return undefined;
  };

/** A field has a code, a separator and a result. The result may be missing. */
function changeField(paragraph: WordParagraph, type: string): void {
  const { fields } = paragraph;
  if (type === 'begin') {
    fields.push(true);
    paragraph.codes++;
    return;
  }
  const wasCode = fields.pop() ?? false;
  if (wasCode) paragraph.codes--;
  if (type === 'separate') fields.push(false);
}

const OPENERS: Readonly<Record<string, WordOpener>> = {
  p: openParagraph,
  pPr(walk) {
    walk.inParagraphProperties = true;
    return () => {
      walk.inParagraphProperties = false;
    };
  },
  pStyle({ paragraph }, attributes) {
    if (paragraph) paragraph.styleId = ownValue(attributes) ?? '';
    return undefined;
  },
  numId({ paragraph }, attributes) {
    if (paragraph) paragraph.numId = ownValue(attributes) ?? '';
    return undefined;
  },
  ilvl({ paragraph }, attributes) {
    if (paragraph) paragraph.level = numberIn(ownValue(attributes), DEEPEST_ITEM) ?? 0;
    return undefined;
  },
  outlineLvl({ paragraph }, attributes) {
    const heading = headingOf(ownValue(attributes));
    if (paragraph && heading !== undefined) paragraph.heading = heading;
    return undefined;
  },
  // A large first letter is a paragraph of its own, which the next one continues.
  framePr({ paragraph }, attributes) {
    if (paragraph && isOn(attribute(attributes, 'dropCap') ?? 'none')) paragraph.isJoined = true;
    return undefined;
  },
  r({ paragraph, context }) {
    if (paragraph) paragraph.isHidden = context.styles.get(paragraph.styleId).isHidden;
    return undefined;
  },
  // The styles of a paragraph and of its run cancel each other out (ECMA-376 part 1, 17.7.3).
  rStyle({ paragraph, context, inParagraphProperties }, attributes) {
    if (paragraph && !inParagraphProperties && context.styles.get(ownValue(attributes)).isHidden)
      paragraph.isHidden = !paragraph.isHidden;
    return undefined;
  },
  vanish({ paragraph, inParagraphProperties }, attributes) {
    if (paragraph && !inParagraphProperties) paragraph.isHidden = isOn(ownValue(attributes));
    return undefined;
  },
  t(walk) {
    walk.inText = true;
    return () => {
      walk.inText = false;
    };
  },
  // The element `tab` also defines where tabs stop.
  tab: (walk) => {
    if (!walk.inParagraphProperties) addText(walk, '\t');
    return undefined;
  },
  br: writes('\n'),
  cr: writes('\n'),
  noBreakHyphen: writes('-'),
  sym(walk, attributes) {
    addText(walk, symbol(attribute(attributes, 'char') ?? '', attribute(attributes, 'font') ?? ''));
    return undefined;
  },
  docPr(walk, attributes) {
    addText(walk, ` ${attribute(attributes, 'descr') ?? ''} `);
    return undefined;
  },
  fldChar({ paragraph }, attributes) {
    if (paragraph) changeField(paragraph, attribute(attributes, 'fldCharType') ?? '');
    return undefined;
  },
  footnoteReference: note('footnote'),
  endnoteReference: note('endnote'),
  commentReference(walk, attributes) {
    addComment(walk, attribute(attributes, 'id') ?? '');
    return undefined;
  },
  tbl: openTable,
  tr: openRow,
  tc: openCell,
  trPr(walk) {
    walk.inRowProperties = true;
    return () => {
      walk.inRowProperties = false;
    };
  },
  // The row begins with so many columns that have no cells in it.
  gridBefore({ table, inRowProperties }, attributes) {
    const columns = numberIn(ownValue(attributes), MOST_COLUMNS) ?? 0;
    if (table && inRowProperties) for (let i = 0; i < columns; i++) table.row.push('');
    return undefined;
  },
  gridSpan({ table }, attributes) {
    if (table?.cell) table.cell.columns = numberIn(ownValue(attributes), MOST_COLUMNS) ?? 1;
    return undefined;
  },
  vMerge({ table }, attributes) {
    if (table?.cell) table.cell.isContinued = ownValue(attributes) !== 'restart';
    return undefined;
  },
  txbxContent: openTextBox,
  altChunk(walk, attributes) {
    addChunk(walk, prefixedAttribute(attributes, 'id') ?? '');
    return undefined;
  },
  // Each of these has the same content in a second form, for programs that do not know the first.
  Fallback: leftOut,
  // These hold former states of the document.
  del: deleted,
  moveFrom: deleted,
  rPrChange: leftOut,
  pPrChange: leftOut,
  tcPrChange: leftOut,
  trPrChange: leftOut,
  // The properties of a field to fill in are not those of its text.
  sdtPr: leftOut,
  // The reading of a Japanese word stands above it.
  rt: leftOut,
};

/** Returns a reader of a part with text, such as the body or the notes. */
export const textHandler = (
  walk: WordWalk,
  openers: Readonly<Record<string, WordOpener>> = {},
): XmlHandler => ({
  open(name, attributes) {
    if (Object.hasOwn(openers, name)) return openers[name]!(walk, attributes);
    if (Object.hasOwn(OPENERS, name)) return OPENERS[name]!(walk, attributes);
    const { paragraph } = walk;
    return paragraph && paragraph.codes === 0
      ? openFormula(paragraph, name, attributes)
      : undefined;
  },
  text(data) {
    if (walk.inText) addText(walk, data);
  },
  isDone: () => isTooLong(walk),
});

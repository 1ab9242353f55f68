/** Finds which styles of a binary Word document are headings, or number their paragraphs (MS-DOC, section 2.9.271, STSH). */
import { type DocHeader, PAIR } from './header.ts';
import { type PropertyOperands, propertiesIn, SPRM } from './properties.ts';

const MAX_STYLES = 4096;
const TITLE = 62;
const NO_BASE = 0xfff;
const LONGEST_CHAIN = 12;

const OF_PARAGRAPHS = 1;

interface StoredStyle {
  /** Built-in styles have fixed numbers: 1 to 9 are headings. */
  readonly builtIn: number;
  readonly base: number;
  readonly properties: PropertyOperands;
}

export interface DocStyle {
  /** This is the level of a heading, from 1, or null. */
  heading: number | null;
  /** These are the number of a list and the level in it, which paragraphs of the style have unless they say others. */
  list: number | undefined;
  level: number | undefined;
}

/** Returns what the style of this number says, with what it inherits from the styles on which it is based. */
export function stylesOf(header: DocHeader): (style: number) => DocStyle {
  const styles = stylesIn(header.part(PAIR.styles));
  return (style) => {
    const whole: DocStyle = { heading: null, list: undefined, level: undefined };
    let found = styles[style];
    for (let i = 0; i < LONGEST_CHAIN && found; i++) {
      whole.heading ??= headingOf(found.builtIn);
      whole.list ??= found.properties.get(SPRM.list);
      whole.level ??= found.properties.get(SPRM.level);
      found = found.base === NO_BASE ? null : styles[found.base];
    }
    return whole;
  };
}

function headingOf(builtIn: number): number | null {
  if (builtIn >= 1 && builtIn <= 9) return builtIn;
  return builtIn === TITLE ? 1 : null;
}

function stylesIn(sheet: Buffer): (StoredStyle | null)[] {
  if (sheet.length < 6) return [];
  const styles: (StoredStyle | null)[] = [];
  const nameAt = sheet.readUInt16LE(4);
  let at = 2 + sheet.readUInt16LE(0);
  while (at + 2 <= sheet.length && styles.length < MAX_STYLES) {
    const length = sheet.readUInt16LE(at);
    const style = sheet.subarray(at + 2, at + 2 + length);
    styles.push(style.length < 4 ? null : styleIn(style, nameAt));
    at += 2 + length + (length % 2);
  }
  return styles;
}

function styleIn(style: Buffer, nameAt: number): StoredStyle {
  const kind = style.readUInt16LE(2) & 0xf;
  return {
    builtIn: style.readUInt16LE(0) & 0xfff,
    base: style.readUInt16LE(2) >>> 4,
    properties: propertiesIn(kind === OF_PARAGRAPHS ? ofParagraphs(style, nameAt) : NOTHING),
  };
}

const NOTHING = Buffer.alloc(0);

/** The properties of paragraphs (UpxPapx) stand behind the name, and have the number of the style before them. */
function ofParagraphs(style: Buffer, nameAt: number): Buffer {
  if (nameAt + 2 > style.length) return NOTHING;
  const at = nameAt + 2 + 2 * style.readUInt16LE(nameAt) + 2;
  if (at + 4 > style.length) return NOTHING;
  return style.subarray(at + 4, at + 2 + style.readUInt16LE(at));
}

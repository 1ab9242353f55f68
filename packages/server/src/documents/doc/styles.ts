/** Finds which styles of a binary Word document are headings (MS-DOC, section 2.9.271, STSH). */
import { type DocHeader, PAIR } from './header.ts';

const MAX_STYLES = 4096;
const TITLE = 62;
const NO_BASE = 0xfff;
const LONGEST_CHAIN = 12;

interface StoredStyle {
  /** Built-in styles have fixed numbers: 1 to 9 are headings. */
  readonly builtIn: number;
  readonly base: number;
}

/** Returns the level of a heading for the number of a style, or null. */
export function headingsOf(header: DocHeader): (style: number) => number | null {
  const styles = stylesIn(header.part(PAIR.styles));
  return (style) => {
    let at = style;
    for (let i = 0; i < LONGEST_CHAIN && at !== NO_BASE; i++) {
      const found = styles[at];
      if (!found) return null;
      if (found.builtIn >= 1 && found.builtIn <= 9) return found.builtIn;
      if (found.builtIn === TITLE) return 1;
      at = found.base;
    }
    return null;
  };
}

function stylesIn(sheet: Buffer): (StoredStyle | null)[] {
  if (sheet.length < 4) return [];
  const styles: (StoredStyle | null)[] = [];
  let at = 2 + sheet.readUInt16LE(0);
  while (at + 2 <= sheet.length && styles.length < MAX_STYLES) {
    const length = sheet.readUInt16LE(at);
    const isStored = length >= 4 && at + 6 <= sheet.length;
    styles.push(
      isStored
        ? { builtIn: sheet.readUInt16LE(at + 2) & 0xfff, base: sheet.readUInt16LE(at + 4) >>> 4 }
        : null,
    );
    at += 2 + length + (length % 2);
  }
  return styles;
}

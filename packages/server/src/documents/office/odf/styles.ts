/** Reads the styles of OpenDocument (ODF 1.3 part 3, 16): titles, code, hidden text and how lists are numbered. */

import type { XmlAttributes } from '../../xml/parse.ts';
import { type NumeralFormat, numeral } from '../numerals.ts';
import { attribute, type CloseElement, numberIn } from '../xml.ts';

/** A style may inherit from another one. Longer chains, and circles, end here. */
const LONGEST_CHAIN = 20;
const DEEPEST_LEVEL = 10;
const LARGEST_START = 1_000_000;
const LONGEST_AFFIX = 20;
const CODE = /^(?:preformatted_20_text|source_20_code|code|code_20_block)$/i;

const FORMATS: Readonly<Record<string, NumeralFormat>> = {
  a: 'letters',
  A: 'LETTERS',
  i: 'roman',
  I: 'ROMAN',
};

export interface OdfStyle {
  readonly isTitle: boolean;
  readonly isCode: boolean;
  readonly isHidden: boolean;
}

/** Styles of different families may have the same name (ODF 1.3 part 3, 16.2). */
type StyleFamily = 'paragraph' | 'text';

interface DeclaredOdfStyle {
  readonly parent: string | undefined;
  /** This is undefined when only the parent says it. */
  isHidden: boolean | undefined;
}

export interface OdfListLevel {
  /** This is the format of the numbers, or null for a list with bullets. */
  readonly format: string | null;
  readonly prefix: string;
  readonly suffix: string;
  readonly start: number;
  /** An item shows the numbers of this many levels, its own included. */
  readonly shownLevels: number;
}

export interface OdfStyles {
  /** Takes in an element that defines a style. Returns undefined for an element of another kind. */
  open(name: string, attributes: XmlAttributes): CloseElement | undefined;
  get(family: StyleFamily, name: string | undefined): OdfStyle;
  /** Levels begin with 0. */
  list(name: string | undefined, level: number): OdfListLevel;
}

const PLAIN: OdfStyle = { isTitle: false, isCode: false, isHidden: false };
const BULLETS: OdfListLevel = { format: null, prefix: '', suffix: '', start: 1, shownLevels: 1 };

export function createOdfStyles(): OdfStyles {
  const declared = new Map<string, DeclaredOdfStyle>();
  const lists = new Map<string, Map<number, OdfListLevel>>();
  const known = new Map<string, OdfStyle>();
  let style: DeclaredOdfStyle | null = null;
  let list: Map<number, OdfListLevel> | null = null;

  function openLevel(attributes: XmlAttributes, isNumbered: boolean): void {
    const value = (name: string) => attribute(attributes, name);
    const level = numberIn(value('level'), DEEPEST_LEVEL) ?? 1;
    list?.set(level - 1, {
      format: isNumbered ? (value('num-format') ?? '') : null,
      prefix: (value('num-prefix') ?? '').slice(0, LONGEST_AFFIX),
      suffix: (value('num-suffix') ?? '').slice(0, LONGEST_AFFIX),
      start: numberIn(value('start-value'), LARGEST_START) ?? 1,
      shownLevels: numberIn(value('display-levels'), DEEPEST_LEVEL) ?? 1,
    });
  }

  return {
    open(name, attributes) {
      const own = attribute(attributes, 'name');
      switch (name) {
        case 'style':
          style = { parent: attribute(attributes, 'parent-style-name'), isHidden: undefined };
          if (own !== undefined)
            declared.set(keyOf(attribute(attributes, 'family') ?? '', own), style);
          known.clear();
          return () => {
            style = null;
          };
        case 'text-properties': {
          const display = attribute(attributes, 'display');
          if (style && display !== undefined) style.isHidden = display === 'none';
          return undefined;
        }
        case 'list-style':
          list = new Map();
          if (own !== undefined) lists.set(own, list);
          return () => {
            list = null;
          };
        case 'list-level-style-number':
          openLevel(attributes, true);
          return undefined;
        case 'list-level-style-bullet':
        case 'list-level-style-image':
          openLevel(attributes, false);
          return undefined;
        default:
          return undefined;
      }
    },
    get(family, name) {
      if (name === undefined) return PLAIN;
      const key = keyOf(family, name);
      let found = known.get(key);
      if (!found) {
        found = inheritedStyle(name, (one) => declared.get(keyOf(family, one)));
        known.set(key, found);
      }
      return found;
    },
    list: (name, level) => lists.get(name ?? '')?.get(level) ?? BULLETS,
  };
}

const keyOf = (family: string, name: string): string => `${family} ${name}`;

function inheritedStyle(
  name: string,
  declared: (name: string) => DeclaredOdfStyle | undefined,
): OdfStyle {
  let [isTitle, isCode] = [false, false];
  let isHidden: boolean | undefined;
  let next: string | undefined = name;
  for (let i = 0; next !== undefined && i < LONGEST_CHAIN; i++) {
    isTitle ||= next === 'Title';
    isCode ||= CODE.test(next);
    const style = declared(next);
    isHidden ??= style?.isHidden;
    // A subtitle may inherit from the title.
    next = next === 'Subtitle' ? undefined : style?.parent;
  }
  return { isTitle, isCode, isHidden: isHidden ?? false };
}

/** Returns the number of an item as people see it. `counters` has the numbers of all levels down to its own. */
export function itemLabel(counters: readonly number[], level: OdfListLevel): string {
  if (level.format === null || level.format === '') return '';
  const format = FORMATS[level.format] ?? 'decimal';
  const shown = counters.slice(-Math.max(level.shownLevels, 1));
  const numbers = shown.map((number, i) =>
    numeral(number, i === shown.length - 1 ? format : 'decimal'),
  );
  return `${level.prefix}${numbers.join('.')}${level.suffix}`.trim();
}

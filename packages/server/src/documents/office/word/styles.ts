/** Reads the styles of a DOCX (ECMA-376 part 1, 17.7): which ones make headings, lists, code or hidden text. */
import type { OfficePackage } from '../package.ts';
import { attribute, isOn, numberIn } from '../xml.ts';

/** A style may inherit from another one. Longer chains, and circles, end here. */
const LONGEST_CHAIN = 20;
const DEEPEST_OUTLINE = 9;
const CODE = /^(?:source code|html preformatted|preformatted text|code|code block)$/i;

interface WordStyle {
  /** This is the level of the heading, from 1, or 0 for a text that is not a heading. */
  readonly heading: number;
  readonly numId?: string;
  readonly level?: number;
  readonly isCode: boolean;
  readonly isHidden: boolean;
}

interface DeclaredStyle {
  name?: string;
  basedOn?: string;
  heading?: number | undefined;
  numId?: string | undefined;
  level?: number | undefined;
  isHidden?: boolean | undefined;
}

export interface WordStyles {
  /** Returns the style with this id. Without an id, returns the one of all paragraphs. */
  get(id: string | undefined): WordStyle;
}

const PLAIN: WordStyle = { heading: 0, isCode: false, isHidden: false };

export function readStyles(document: OfficePackage, path: string | undefined): WordStyles {
  const declared = new Map<string, DeclaredStyle>();
  let usual: string | undefined;
  let style: DeclaredStyle = {};
  document.read(path, {
    open(name, attributes) {
      const value = () => attribute(attributes, 'val');
      switch (name) {
        case 'style': {
          style = {};
          const id = attribute(attributes, 'styleId');
          if (id !== undefined) declared.set(id, style);
          const isUsual = isOn(attribute(attributes, 'default') ?? '0');
          if (isUsual && attribute(attributes, 'type') === 'paragraph') usual ??= id;
          break;
        }
        case 'name':
          style.name = value() ?? '';
          break;
        case 'basedOn':
          style.basedOn = value() ?? '';
          break;
        case 'outlineLvl':
          style.heading = headingOf(value()) ?? 0;
          break;
        case 'numId':
          style.numId = value() ?? '';
          break;
        case 'ilvl':
          style.level = numberIn(value(), 8) ?? 0;
          break;
        case 'vanish':
          style.isHidden = isOn(value());
          break;
        case 'rPrChange':
        case 'pPrChange':
        case 'tblStylePr':
          return 'skip';
      }
      return undefined;
    },
  });

  const known = new Map<string, WordStyle>();
  function get(id: string | undefined): WordStyle {
    const wanted = id ?? usual;
    if (wanted === undefined) return PLAIN;
    let found = known.get(wanted);
    if (!found) {
      found = inherited(wanted, declared);
      known.set(wanted, found);
    }
    return found;
  }
  return { get };
}

function inherited(id: string, declared: ReadonlyMap<string, DeclaredStyle>): WordStyle {
  const whole: DeclaredStyle = {};
  let isCode = false;
  let style = declared.get(id);
  for (let i = 0; style && i < LONGEST_CHAIN; i++) {
    whole.heading ??= headingOfName(style.name ?? '') ?? style.heading;
    whole.numId ??= style.numId;
    whole.level ??= style.level;
    whole.isHidden ??= style.isHidden;
    isCode ||= CODE.test(style.name ?? '');
    style = style.basedOn === undefined ? undefined : declared.get(style.basedOn);
  }
  return {
    heading: whole.heading ?? 0,
    ...(whole.numId === undefined ? {} : { numId: whole.numId }),
    ...(whole.level === undefined ? {} : { level: whole.level }),
    isCode,
    isHidden: whole.isHidden ?? false,
  };
}

/** The built-in styles have these names in all languages of Word; only what a user sees is translated. */
function headingOfName(name: string): number | undefined {
  if (/^title$/i.test(name)) return 1;
  if (/^(?:subtitle|toc heading)$/i.test(name)) return 0;
  const level = /^heading ([1-9])$/i.exec(name)?.[1];
  return level === undefined ? undefined : Number(level);
}

/** Returns the level of a heading from its outline level, which begins with 0; 9 stands for running text. */
export function headingOf(outline: string | undefined): number | undefined {
  const level = numberIn(outline, DEEPEST_OUTLINE);
  if (level === undefined) return undefined;
  return level === DEEPEST_OUTLINE ? 0 : level + 1;
}

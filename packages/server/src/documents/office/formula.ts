/**
 * Writes the formulas of Word and PowerPoint (Office Math, ECMA-376 part 1, 22.1) in one line, as people type them:
 * `(a+b)/2`, `x^2`, `√(a+b)`. Without these signs, a half would be 12.
 */
import type { XmlAttributes } from '../xml/parse.ts';
import { attribute, type CloseElement } from './xml.ts';

const LONGEST_SIGN = 10;
/** A text that matches this needs no brackets around it. */
const SIMPLE = /^[\p{L}\p{N}.,]*$/u;

interface FormulaPart {
  /** This is the place of the sign that a property of the part replaces, or null. */
  readonly at: number | null;
  /** This stands behind the part, or before its limit. */
  sign: string;
}

export interface Formula {
  /** The text of the formula is added here. */
  readonly parts: string[];
  /** These are the open parts whose signs depend on their properties. */
  readonly open: FormulaPart[];
}

type FormulaOpener = (formula: Formula, attributes: XmlAttributes) => CloseElement | undefined;

/** Writes a sign and what follows it, in brackets where they are needed. Writes nothing where nothing follows. */
function openGroup({ parts }: Formula, sign: string): CloseElement {
  const before = parts.length;
  parts.push(sign, '');
  const at = parts.length - 1;
  return () => {
    const inside = parts.length - at - 1;
    if (inside === 0) parts.length = before;
    else if (inside > 1 || !SIMPLE.test(parts[at + 1]!)) {
      parts[at] = '(';
      parts.push(')');
    }
  };
}

const group =
  (sign: string): FormulaOpener =>
  (formula) =>
    openGroup(formula, sign);

/** `begin` is the sign before the part until a property replaces it. */
function openPart({ parts, open }: Formula, sign: string, begin?: string): CloseElement {
  const own = { at: begin === undefined ? null : parts.length, sign };
  if (begin !== undefined) parts.push(begin);
  open.push(own);
  return () => {
    open.pop();
  };
}

const signIn = (attributes: XmlAttributes): string =>
  (attribute(attributes, 'val') ?? '').slice(0, LONGEST_SIGN);

const setEnd: FormulaOpener = ({ open }, attributes) => {
  const part = open.at(-1);
  if (part) part.sign = signIn(attributes);
  return undefined;
};

const setBegin: FormulaOpener = (formula, attributes) => {
  const at = formula.open.at(-1)?.at ?? null;
  if (at === null) return setEnd(formula, attributes);
  formula.parts[at] = signIn(attributes);
  return undefined;
};

/** Writes the sign of a part behind it. */
const withEnd =
  (end: string, begin?: string): FormulaOpener =>
  (formula) => {
    const close = openPart(formula, end, begin);
    return () => {
      formula.parts.push(formula.open.at(-1)?.sign ?? '');
      close();
    };
  };

const OPENERS: Readonly<Record<string, FormulaOpener>> = {
  num: group(''),
  den: group('/'),
  sup: group('^'),
  sub: group('_'),
  rad: group('√'),
  // The degree of a root stands before what is under it.
  deg({ parts }) {
    const before = parts.length;
    return () => {
      if (parts.length > before) parts.push('&');
    };
  },
  d: withEnd(')', '('),
  acc: withEnd('\u0302'),
  nary: (formula) => openPart(formula, '', '∫'),
  groupChr: (formula) => openPart(formula, ''),
  limLow: (formula) => openPart(formula, '_'),
  limUpp: (formula) => openPart(formula, '^'),
  lim: (formula) => openGroup(formula, formula.open.at(-1)?.sign ?? ''),
  begChr: setBegin,
  endChr: setEnd,
  chr: setBegin,
};

/** Opens an element of a formula. Returns undefined for an element of another kind. */
export const openFormula = (
  formula: Formula,
  name: string,
  attributes: XmlAttributes,
): CloseElement | undefined =>
  Object.hasOwn(OPENERS, name) ? OPENERS[name]!(formula, attributes) : undefined;

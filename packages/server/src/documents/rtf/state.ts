/** Holds what control words of RTF have set. A group ends with the state with which it began. */
import type { RtfPlace } from './groups.ts';

export interface RtfState {
  place: RtfPlace;
  /** In a group that is left out, this is the place to which some of the groups in it belong. */
  around: RtfPlace;
  /** This is the number of the font, or null for that of the document. */
  font: number | null;
  /** These are three reasons why text is not shown. */
  isHidden: boolean;
  isDeleted: boolean;
  /** The text is only there for readers that do not know the HTML in it (MS-OXRTFEX, section 2.1.3.1.3). */
  isBesideHtml: boolean;
  /** After a character of Unicode, this many characters stand for readers that do not know it. */
  skips: number;
  style: number;
  /** This is the outline level of the paragraph, from 0, or null. */
  outline: number | null;
  /** This is the number of the list to which the paragraph belongs, or 0. */
  list: number;
  /** If true, the labels of the paragraph are small letters, as documents from before Word 97 say in the paragraph. */
  hasLetters: boolean;
  depth: number;
  isInTable: boolean;
}

export const newState = (): RtfState => ({
  place: 'body',
  around: 'left out',
  font: null,
  isHidden: false,
  isDeleted: false,
  isBesideHtml: false,
  skips: 1,
  ...NEW_PARAGRAPH,
});

/** These are the properties of a paragraph after \pard. */
const NEW_PARAGRAPH = {
  style: 0,
  outline: null,
  list: 0,
  hasLetters: false,
  depth: 0,
  isInTable: false,
} as const;

/** This is the outline level of text that is not a heading. */
const BODY_LEVEL = 9;
const MAX_DEPTH = 100;

type Setter = (state: RtfState, number: number | null) => void;

/** A property that is on or off is off when its number is 0. */
const isOn = (number: number | null): boolean => number !== 0;

const SETTERS: ReadonlyMap<string, Setter> = new Map<string, Setter>([
  ['pard', (state) => Object.assign(state, NEW_PARAGRAPH)],
  [
    // A tracked deletion goes on: it is not a format of characters.
    'plain',
    (state) => {
      state.isHidden = false;
      state.font = null;
    },
  ],
  [
    'v',
    (state, number) => {
      state.isHidden = isOn(number);
    },
  ],
  [
    'deleted',
    (state, number) => {
      state.isDeleted = isOn(number);
    },
  ],
  [
    'htmlrtf',
    (state, number) => {
      state.isBesideHtml = isOn(number);
    },
  ],
  [
    'f',
    (state, number) => {
      state.font = number;
    },
  ],
  [
    'uc',
    (state, number) => {
      state.skips = Math.min(Math.max(number ?? 1, 0), MAX_DEPTH);
    },
  ],
  [
    's',
    (state, number) => {
      state.style = number ?? 0;
    },
  ],
  [
    'outlinelevel',
    (state, number) => {
      state.outline = number !== null && number >= 0 && number < BODY_LEVEL ? number : null;
    },
  ],
  [
    'ls',
    (state, number) => {
      state.list = number ?? 1;
    },
  ],
  [
    'ilvl',
    (state, number) => {
      state.depth = Math.min(Math.max(number ?? 0, 0), MAX_DEPTH);
    },
  ],
  [
    'pnlcltr',
    (state) => {
      state.hasLetters = true;
    },
  ],
  [
    'intbl',
    (state) => {
      state.isInTable = true;
    },
  ],
]);

export const isShown = ({ isHidden, isDeleted, isBesideHtml }: RtfState): boolean =>
  !isHidden && !isDeleted && !isBesideHtml;

/** Returns false when the word sets nothing of the state. */
export function setState(state: RtfState, word: string, number: number | null): boolean {
  const setter = SETTERS.get(word);
  setter?.(state, number);
  return setter !== undefined;
}

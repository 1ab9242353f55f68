/** Collects what stands before the text of RTF: fonts, styles, lists, and what the document says about itself. */
import type { About } from '../convert.ts';
import { oneLine } from '../mail/names.ts';
import { pageOfCharset } from './characters.ts';
import type { RtfPlace } from './groups.ts';
import { createRtfLists } from './lists.ts';
import type { RtfState } from './state.ts';

const MAX_ENTRIES = 10_000;
const MAX_LINE = 500;
/** This is the character set of fonts such as Symbol and Wingdings. */
const SYMBOLS = 2;

export interface RtfTables {
  /** Takes a control word within a table. */
  word(state: RtfState, word: string, number: number | null): void;
  /** Takes the text of an entry. */
  text(state: RtfState, text: string): void;
  /** Ends an entry of a table. */
  endEntry(state: RtfState): void;
  /** Returns true for a fact about the document that has been read. */
  isKnown(place: RtfPlace): boolean;
  pageOfFont(font: number): number | undefined;
  isOfSymbols(font: number): boolean;
  /** Returns true when the list of the paragraph counts in small letters. */
  countsInLetters(state: RtfState): boolean;
  /** Returns the level of a heading, from 1, or null. */
  headingOf(style: number): number | null;
  about(): About;
}

export function createRtfTables(): RtfTables {
  const pages = new Map<number, number>();
  const symbols = new Set<number>();
  const headings = new Map<number, number>();
  const texts = { title: '', author: '' };
  const times = { made: new Map<string, number>(), changed: new Map<string, number>() };
  const lists = createRtfLists();
  let styleName = '';

  function wordOfFont(font: number, word: string, number: number): void {
    const page = word === 'cpg' ? number : pageOfCharset(number);
    const isPage = (word === 'fcharset' || word === 'cpg') && page !== undefined;
    if (isPage && pages.size < MAX_ENTRIES) pages.set(font, page);
    const isOfSymbols = word === 'fcharset' && number === SYMBOLS;
    if (isOfSymbols && symbols.size < MAX_ENTRIES) symbols.add(font);
  }

  function endStyle({ style, outline }: RtfState): void {
    const level = headingIn(styleName, outline);
    if (level !== null && headings.size < MAX_ENTRIES) headings.set(style, level);
    styleName = '';
  }

  return {
    word({ place, font }, word, number) {
      if (place === 'lists') lists.word(word, number ?? 0);
      else if (place === 'uses of lists') lists.wordOfUse(word, number ?? 0);
      else if (number === null) return;
      else if (place === 'made' || place === 'changed') times[place].set(word, number);
      else if (place === 'fonts' && font !== null) wordOfFont(font, word, number);
    },
    text({ place }, text) {
      if (place === 'styles' && styleName.length < MAX_LINE) styleName += text;
      else if ((place === 'title' || place === 'author') && texts[place].length < MAX_LINE)
        texts[place] += text;
    },
    endEntry(state) {
      if (state.place === 'styles') endStyle(state);
      if (state.place === 'uses of lists') lists.endUse(state.list);
    },
    isKnown: (place) => (place === 'title' || place === 'author') && texts[place] !== '',
    pageOfFont: (font) => pages.get(font),
    isOfSymbols: (font) => symbols.has(font),
    countsInLetters: ({ list, depth }) => lists.countsInLetters(list, depth),
    headingOf: (style) => headings.get(style) ?? null,
    about() {
      const title = oneLine(texts.title, MAX_LINE);
      const author = oneLine(texts.author, MAX_LINE);
      const made = isoOf(times.made);
      const changed = isoOf(times.changed);
      return {
        ...(title && { title }),
        ...(author && { author }),
        ...(made && { created_at: made }),
        ...(changed && { modified_at: changed }),
      };
    },
  };
}

function headingIn(name: string, outline: number | null): number | null {
  const named = /^\s*(?:heading ([1-9])|(title))\s*;?\s*$/i.exec(name);
  if (named) return named[2] === undefined ? Number(named[1]) : 1;
  return outline === null ? null : outline + 1;
}

/** Returns the time in ISO 8601 without a zone, because none is stored. */
function isoOf(parts: ReadonlyMap<string, number>): string | null {
  const [year = 0, month = 0, day = 0] = ['yr', 'mo', 'dy'].map((one) => parts.get(one));
  const [hour, minute, second] = ['hr', 'min', 'sec'].map((one) => parts.get(one) ?? 0);
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  if (year < 1900 || year > 9999 || Number.isNaN(date.getTime())) return null;
  return date.toISOString().slice(0, 19);
}

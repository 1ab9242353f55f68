/**
 * Reads RTF (Rich Text Format 1.9.1): paragraphs, headings, lists, tables, notes, text boxes and WordArt. Pictures,
 * objects, headers and footers, hidden text and comments are left out. The file is read once from beginning to end,
 * without recursion.
 */
import { SourceError } from '../../errors.ts';
import type { Converted } from '../convert.ts';
import { createParagraphs, type ParagraphForm, RUNNING_TEXT } from '../word/paragraphs.ts';
import { CHARACTERS, decodePage, SYMBOLS } from './characters.ts';
import { groupIn, type RtfPlace } from './groups.ts';
import { isShown, newState, type RtfState, setState } from './state.ts';
import { createRtfTables } from './tables.ts';
import { type RtfToken, rtfTokens } from './tokens.ts';

const MAX_OPEN_GROUPS = 200_000;
const LONGEST_MARKER = 50;
const BULLET = '•';
/** Word writes the circle of inner items as a letter. */
const CIRCLE = 'o';
/** This property of a shape is the text of WordArt. */
const WORD_ART = 'gtextUNICODE';
const LONGEST_PROPERTY = 50;
const ENDS_OF_PARAGRAPHS = new Set(['par', 'sect', 'page', 'column']);
/** These words set the code page of the document. */
const PAGES: ReadonlyMap<string, number> = new Map([
  ['mac', 10_000],
  ['pc', 437],
  ['pca', 850],
]);

/** Throws a SourceError 'skip' when the groups nest too deep. */
export function readRtf(bytes: Uint8Array): Converted {
  const reader = createReader();
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const token of rtfTokens(all)) reader.take(token);
  return reader.result();
}

function createReader() {
  const tables = createRtfTables();
  const writer = createParagraphs();
  const groups: RtfState[] = [];
  let state = newState();
  let page = 1252;
  /** If true, a group has just begun, and the next word says what it contains. */
  let begins = false;
  let isOptional = false;
  /** This many characters stand for one that is already written. */
  let toSkip = 0;
  /** These are bytes of one encoding that are not decoded yet. */
  let bytes: string[] = [];
  let paragraph: string[] = [];
  let note: string[] = [];
  let box: string[] = [];
  /** These are the texts of text boxes, which are written at the end. */
  const boxes: string[] = [];
  let marker = '';
  let propertyName = '';
  let property: string[] = [];

  function open(): void {
    decode();
    if (groups.length === MAX_OPEN_GROUPS)
      throw new SourceError('skip', `the RTF nests more than ${MAX_OPEN_GROUPS} groups`, {
        hint: 'Open it in a word processor, and save a copy as DOCX.',
      });
    groups.push({ ...state });
    begins = true;
    isOptional = false;
    toSkip = 0;
  }

  function close(): void {
    decode();
    const before = groups.pop();
    toSkip = 0;
    if (!before) return;
    if (state.place === before.place) tables.endEntry(state);
    if (state.place === 'property' && before.place !== 'property') endProperty(before);
    if (state.place === 'format of marker') before.hasLetters = state.hasLetters;
    if (state.place === 'note' && !isWithin('note', before)) endNote(before);
    if (state.place === 'box' && !isWithin('box', before)) endBox(isShown(before));
    state = before;
  }

  function endNote(before: RtfState): void {
    if (isShown(before) && before.place === 'body') paragraph.push(writer.note(note.join('')));
    if (isShown(before) && before.place === 'box') box.push(writer.note(note.join('')));
    note = [];
  }

  function endBox(isShown: boolean): void {
    if (isShown) boxes.push(box.join(''));
    box = [];
  }

  function endProperty(before: RtfState): void {
    const text = property.join('').replaceAll(/\r\n?|\v/g, '\n');
    property = [];
    if (propertyName.trim() === WORD_ART && isShown(before)) boxes.push(text);
  }

  function decode(): void {
    if (bytes.length === 0) return;
    const font = state.font === null ? undefined : tables.pageOfFont(state.font);
    const text = decodePage(bytes.join(''), font ?? page);
    bytes = [];
    add(text);
  }

  function add(text: string): void {
    if (!isShown(state)) return;
    if (state.place === 'body') paragraph.push(text);
    else if (state.place === 'note') note.push(text);
    else if (state.place === 'box') box.push(text);
    else if (state.place === 'marker') addToMarker(text);
    else if (state.place === 'property') property.push(text);
    else if (state.place === 'name of property')
      propertyName = (propertyName + text).slice(0, LONGEST_PROPERTY);
    else tables.text(state, text);
  }

  /** The letters of a font of symbols are shown as signs. */
  function addToMarker(text: string): void {
    const isSign = state.font !== null && tables.isOfSymbols(state.font);
    marker = `${marker}${isSign ? BULLET : text}`.slice(0, LONGEST_MARKER);
  }

  function take(token: RtfToken): void {
    if (token.is === 'open') open();
    else if (token.is === 'close') close();
    else if (token.is === 'text') takeText(token.text);
    else if (token.is === 'symbol') takeSymbol(token.symbol);
    else if (token.is === 'word') takeWord(token.word, token.number);
    if (token.is !== 'open' && !(token.is === 'symbol' && token.symbol === '*')) begins = false;
  }

  function takeText(text: string): void {
    if (state.place === 'left out') return;
    const skipped = Math.min(toSkip, text.length);
    toSkip -= skipped;
    if (skipped < text.length) bytes.push(text.slice(skipped));
  }

  function takeSymbol(symbol: string): void {
    if (symbol === '*') {
      isOptional = begins;
      return;
    }
    if (symbol === '\n' || symbol === '\r') endParagraph();
    const character = SYMBOLS.get(symbol);
    if (character === undefined) return;
    if (toSkip > 0) toSkip--;
    else addCharacter(character);
  }

  function addCharacter(character: string): void {
    if (state.place === 'left out') return;
    decode();
    add(character);
  }

  function takeWord(word: string, number: number | null): void {
    if (begins) beginGroup(word);
    if (state.place === 'left out') return;
    decode();
    const isSkipped = toSkip > 0;
    toSkip = Math.max(0, toSkip - 1);
    if (setState(state, word, number)) return;
    const character = CHARACTERS.get(word);
    if (character !== undefined) addCharacter(isSkipped ? '' : character);
    else if (word === 'u') takeUnicode(number ?? 0);
    else if (word === 'ansicpg') page = number ?? page;
    else if (isContent()) takeEnd(word);
    else tables.word(state, word, number);
  }

  const isContent = (): boolean => ['body', 'note', 'box'].includes(state.place);

  function beginGroup(word: string): void {
    const { place: outer } = state;
    Object.assign(state, groupIn(state, word, isOptional));
    isOptional = false;
    if (word === 'sp') propertyName = '';
    if (state.place === outer) return;
    if (tables.isKnown(state.place)) state.place = 'left out';
    if (state.place === 'marker') marker = '';
    if (state.place === 'format of marker') state.hasLetters = false;
    if (state.place === 'name of property') propertyName = '';
  }

  /** A number above 32767 is written as a negative one; some programs write it as it is. */
  function takeUnicode(number: number): void {
    addCharacter(String.fromCharCode(number & 0xffff));
    toSkip = state.skips;
  }

  function takeEnd(word: string): void {
    if (ENDS_OF_PARAGRAPHS.has(word)) endParagraph();
    else if (word === 'cell') endCell();
    else if (word === 'row' && state.place === 'body') writer.row();
    else page = PAGES.get(word) ?? page;
  }

  function endParagraph(): void {
    decode();
    if (state.place === 'note') note.push('\n');
    if (state.place === 'box') box.push('\n');
    if (state.place !== 'body') return;
    const text = paragraph.join('');
    paragraph = [];
    if (state.isDeleted) writer.joined(text, state.isInTable);
    else writer.paragraph(text, formOf());
    marker = '';
  }

  function formOf(): ParagraphForm {
    const { outline, list, depth, hasLetters, isInTable } = state;
    const heading = outline === null ? tables.headingOf(state.style) : outline + 1;
    const sign = marker.replaceAll(/[\s\u00a0]+/g, ' ').trim();
    const isOfList = heading === null && (list !== 0 || sign !== '');
    const isCircle = sign === CIRCLE && !hasLetters && !tables.countsInLetters(state);
    // Signs without letters are dots and squares.
    const label = /[\p{L}\p{N}]/u.test(sign) && !isCircle ? sign : '';
    return { heading, depth: isOfList ? depth : null, label, isInTable };
  }

  function endCell(): void {
    decode();
    if (state.place === 'body') {
      writer.cell(paragraph.join(''), formOf());
      paragraph = [];
      marker = '';
    } else add(' ');
  }

  return {
    take,
    result(): Converted {
      decode();
      // The last paragraph may have no end, and a file that is cut off has open groups.
      const around = groups.findLast(({ place }) => place !== 'property');
      if (state.place === 'property' && around) endProperty(around);
      state = groups[0] ?? state;
      writer.paragraph(paragraph.join(''), { ...formOf(), isInTable: false });
      endBox(true);
      for (const text of boxes)
        for (const line of text.split('\n')) writer.paragraph(line, RUNNING_TEXT);
      return { text: writer.result(), about: tables.about() };
    },
  };
}

const isWithin = (place: RtfPlace, state: RtfState): boolean =>
  state.place === place || state.around === place;

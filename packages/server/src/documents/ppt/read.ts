/**
 * Reads binary presentations of PowerPoint 97 to 2003 (MS-PPT): the texts of the slides in their order, and their notes.
 * The text of placeholders stands in a list of all slides, and that of other boxes in the slide itself.
 */
import type { CompoundStorage } from '../compound/file.ts';
import { directoryOf, type PptDirectory } from './directory.ts';
import { numberAt, type PptRecord, recordsAt } from './records.ts';

const RECORD = {
  slideAtom: 0x03ef,
  slidePlace: 0x03f3,
  slideList: 0x0ff0,
  outlineText: 0x0f9e,
  textType: 0x0f9f,
  unicode: 0x0fa0,
  bytes: 0x0fa8,
} as const;
/** These types of texts are titles (MS-PPT, section 2.13.33). */
const TITLES = [0, 6] as const;
export const isTitle = (type: number): boolean => TITLES.some((one) => one === type);
/** These places on a slide are those of titles (MS-PPT, section 2.13.20). */
const TITLE_PLACES: readonly number[] = [0x0d, 0x0f, 0x11];
const SLIDES = 0;
const NOTES = 2;
const MAX_SLIDES = 10_000;
/** All slides together have no more characters than a document may have. */
const MAX_CHARACTERS = 10_000_000;

export interface PptText {
  /** 0 and 6 are titles, 1 and 5 to 8 are bodies, 2 are notes, 4 are other boxes (MS-PPT, TextTypeEnum). */
  readonly type: number;
  readonly text: string;
}

export interface Slide {
  readonly texts: readonly PptText[];
  readonly notes: readonly PptText[];
}

interface ListedSlide {
  readonly place: number;
  readonly id: number;
  readonly texts: PptText[];
}

/** Throws a SourceError 'skip' for a presentation that is broken or protected. */
export function readSlides(file: CompoundStorage): Slide[] {
  const directory = directoryOf(file);
  const recordsIn = recordReader(directory);
  const lists = listsOf(recordsIn(directory.document));
  const notes = new Map(lists.notes.map((one) => [one.id, one]));
  let characters = 0;
  const slides: Slide[] = [];
  for (const listed of lists.slides) {
    const { texts, notesId } = textsOf(recordsIn(listed.place), listed.texts);
    const own = notes.get(notesId);
    const noted = own ? notesIn(textsOf(recordsIn(own.place), own.texts).texts) : [];
    characters += [...texts, ...noted].reduce((sum, { text }) => sum + text.length, 0);
    slides.push({ texts, notes: noted });
    if (characters > MAX_CHARACTERS) break;
  }
  return slides;
}

/** LibreOffice stores notes as the text of other boxes. */
function notesIn(texts: readonly PptText[]): readonly PptText[] {
  const typed = texts.filter(({ type }) => type === NOTES);
  return typed.length > 0 ? typed : texts;
}

/** Many slides could lead to one long record, so the stream is read no more often than this. */
const READS = 4;

/** The function returns the record of an object and all records in it. */
function recordReader({ stream, offsets }: PptDirectory): (place: number) => Iterable<PptRecord> {
  let budget = READS * stream.length;
  return (place) => {
    const [first] = recordsAt(stream, offsets.get(place) ?? stream.length);
    if (!first || budget <= 0) return [];
    budget -= first.content.length;
    return recordsAt(stream, offsets.get(place) ?? 0);
  };
}

/** Returns the slides and the notes in the order of their lists, with the texts that stand there. */
function listsOf(records: Iterable<PptRecord>) {
  const slides: ListedSlide[] = [];
  const notes: ListedSlide[] = [];
  let list: ListedSlide[] | null = null;
  let type = 0;
  for (const record of records) {
    if (record.type === RECORD.slideList) list = listFor(record, { slides, notes });
    else if (record.type === RECORD.slidePlace && list && list.length < MAX_SLIDES) {
      const place = numberAt(record, 0) ?? 0;
      list.push({ place, id: numberAt(record, 12) ?? 0, texts: [] });
    } else if (record.type === RECORD.textType) type = numberAt(record, 0) ?? 0;
    else {
      const text = textIn(record);
      if (text !== null) list?.at(-1)?.texts.push({ type, text });
    }
  }
  return { slides, notes };
}

const listFor = (
  { instance }: PptRecord,
  { slides, notes }: { readonly slides: ListedSlide[]; readonly notes: ListedSlide[] },
): ListedSlide[] | null => (instance === SLIDES ? slides : instance === NOTES ? notes : null);

/** `outline` has the texts of the list of slides, to which the slide refers by their numbers. */
function textsOf(records: Iterable<PptRecord>, outline: readonly PptText[]) {
  const shown = new Set<PptText>();
  let notesId = 0;
  let beginsWithTitle = false;
  let type = 0;
  for (const record of records) {
    if (record.type === RECORD.slideAtom) {
      notesId = numberAt(record, 16) ?? 0;
      beginsWithTitle = TITLE_PLACES.includes(record.content[4] ?? 0);
    } else if (record.type === RECORD.textType) type = numberAt(record, 0) ?? 0;
    else {
      const text = textIn(record);
      const found = text === null ? referred(record, outline) : { type, text };
      if (found) shown.add(found);
    }
  }
  const texts = [...outline.filter((one) => !shown.has(one)), ...shown];
  return { texts: beginsWithTitle ? withTitle(texts) : texts, notesId };
}

const referred = (record: PptRecord, outline: readonly PptText[]): PptText | undefined =>
  record.type === RECORD.outlineText ? outline[numberAt(record, 0) ?? 0] : undefined;

/** LibreOffice stores all texts as those of other boxes, but says that the first place is that of a title. */
function withTitle(texts: readonly PptText[]): PptText[] {
  const [first, ...others] = texts;
  const isTyped = texts.some(({ type }) => isTitle(type));
  return first && !isTyped ? [{ ...first, type: TITLES[0] }, ...others] : [...texts];
}

/** Returns the text of a record, or null for another record. */
function textIn({ type, content }: PptRecord): string | null {
  if (type === RECORD.unicode) return content.toString('utf16le');
  return type === RECORD.bytes ? content.toString('latin1') : null;
}

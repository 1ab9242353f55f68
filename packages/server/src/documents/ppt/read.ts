/**
 * Reads binary presentations of PowerPoint 97 to 2003 (MS-PPT): the texts and tables of the slides in their order, and
 * their notes. The text of placeholders may stand in a list of all slides, and other text stands in the slide itself.
 */

import type { TextBudget } from '../budget.ts';
import type { CompoundStorage } from '../compound/file.ts';
import { directoryOf, type PptDirectory } from './directory.ts';
import { numberAt, type PptRecord, recordsAt } from './records.ts';
import { createShapeReader, isTable, isTitlePlace, type SlideItem } from './shapes.ts';
import { isTitle, NOTES, OTHER, type PptText, TEXT_TYPE, textIn } from './text.ts';

const RECORD = { slideAtom: 0x03ef, slidePlace: 0x03f3, slideList: 0x0ff0 } as const;
const SLIDES_LIST = 0;
const NOTES_LIST = 2;
const MAX_SLIDES = 10_000;
/** A longer line is rather a paragraph than a title. */
const LONGEST_TITLE = 100;

export interface Slide {
  /** This is one of the items, or undefined. */
  readonly title: PptText | undefined;
  readonly items: readonly SlideItem[];
  readonly notes: readonly SlideItem[];
}

interface ListedSlide {
  readonly place: number;
  readonly id: number;
  readonly texts: PptText[];
}

/**
 * Stops when the budget is spent. Throws a SourceError 'skip' for a presentation that is broken or protected.
 */
export function* readSlides(file: CompoundStorage, budget: TextBudget): Generator<Slide> {
  const directory = directoryOf(file);
  const recordsIn = recordReader(directory);
  const lists = listsOf(recordsIn(directory.document));
  const notes = new Map(lists.notes.map((one) => [one.id, one]));
  const read = ({ place, texts }: ListedSlide) => readSlide(recordsIn(place), texts, budget);
  for (const listed of lists.slides) {
    const { items, notesId, beginsWithTitle } = read(listed);
    const own = notes.get(notesId);
    const noted = own ? notesIn(read(own).items) : [];
    yield { title: titleOf(items, beginsWithTitle), items, notes: noted };
    if (budget.left < 0) return;
  }
}

/** LibreOffice stores notes as the text of other boxes. */
function notesIn(items: readonly SlideItem[]): readonly SlideItem[] {
  const typed = items.filter((item) => !isTable(item) && item.type === NOTES);
  return typed.length > 0 ? typed : items;
}

/**
 * LibreOffice stores some titles as the text of other boxes. It may still say that the first place of the slide is that of
 * a title. A single line on a slide without a place for it is the title of a part of the presentation.
 */
function titleOf(items: readonly SlideItem[], beginsWithTitle: boolean): PptText | undefined {
  const texts = items.flatMap((item) => (isTable(item) ? [] : item));
  const [first] = texts;
  const isAlone = items.length === 1 && first && isSingleLine(first);
  return texts.find(isTitle) ?? (beginsWithTitle || isAlone ? first : undefined);
}

const isSingleLine = ({ text }: PptText): boolean =>
  text.length <= LONGEST_TITLE && !text.trim().includes('\r');

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
  let type = OTHER;
  for (const record of records) {
    if (record.type === RECORD.slideList) list = listFor(record, { slides, notes });
    else if (record.type === RECORD.slidePlace && list && list.length < MAX_SLIDES) {
      const place = numberAt(record, 0) ?? 0;
      list.push({ place, id: numberAt(record, 12) ?? 0, texts: [] });
    } else if (record.type === TEXT_TYPE) type = numberAt(record, 0) ?? OTHER;
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
): ListedSlide[] | null =>
  instance === SLIDES_LIST ? slides : instance === NOTES_LIST ? notes : null;

/** `outline` has the texts of the slide in the list of slides. */
function readSlide(records: Iterable<PptRecord>, outline: readonly PptText[], budget: TextBudget) {
  const shapes = createShapeReader(outline, budget);
  let notesId = 0;
  let beginsWithTitle = false;
  for (const record of records) {
    if (budget.left < 0) break;
    if (record.type === RECORD.slideAtom) {
      notesId = numberAt(record, 16) ?? 0;
      beginsWithTitle = isTitlePlace(record.content[4]);
    } else shapes.take(record);
  }
  return { items: shapes.result(), notesId, beginsWithTitle };
}

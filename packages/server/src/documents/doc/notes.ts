/** Finds the footnotes and endnotes of a binary Word document (MS-DOC, sections 2.8.11 and 2.8.12). */
import { type DocHeader, PAIR } from './header.ts';

export interface NoteSpan {
  readonly start: number;
  readonly end: number;
}

/** Maps the positions of the marks in the text to the positions of the notes. */
export function notesOf(header: DocHeader): ReadonlyMap<number, NoteSpan> {
  const { text, footnotes, headers, comments } = header.lengths;
  const notes = new Map<number, NoteSpan>();
  addNotes(notes, {
    marks: positionsIn(header.part(PAIR.footnoteMarks), 2),
    texts: positionsIn(header.part(PAIR.footnoteTexts), 0),
    first: text,
  });
  addNotes(notes, {
    marks: positionsIn(header.part(PAIR.endnoteMarks), 2),
    texts: positionsIn(header.part(PAIR.endnoteTexts), 0),
    first: text + footnotes + headers + comments,
  });
  return notes;
}

interface StoredNotes {
  readonly marks: readonly number[];
  /** Positions count from the first character of all notes. */
  readonly texts: readonly number[];
  readonly first: number;
}

function addNotes(notes: Map<number, NoteSpan>, { marks, texts, first }: StoredNotes): void {
  let last = 0;
  for (const [index, mark] of marks.entries()) {
    const start = texts[index];
    const end = texts[index + 1];
    // Notes that overlap could make a small file endless.
    if (start === undefined || end === undefined || start < last || end < start) break;
    last = end;
    notes.set(mark, { start: first + start, end: first + end });
  }
}

/** Returns the positions of a table, of which each but the last has this many bytes of data. */
function positionsIn(plc: Buffer, dataBytes: number): number[] {
  const count = Math.floor((plc.length - 4) / (4 + dataBytes));
  return Array.from({ length: Math.max(0, count) + (dataBytes === 0 ? 1 : 0) }, (_, i) =>
    4 * i + 4 <= plc.length ? plc.readUInt32LE(4 * i) : 0,
  );
}

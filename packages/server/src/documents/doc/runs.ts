/** Finds the properties of paragraphs and characters of a binary Word document (MS-DOC, sections 2.9.175 and 2.9.33). */
import { type DocHeader, PAIR } from './header.ts';
import { type PropertyOperands, propertiesIn, SPRM } from './properties.ts';
import { countUpTo } from './spans.ts';

const PAGE_BYTES = 512;

export interface ParagraphProperties {
  readonly style: number;
  /** If true, the paragraph is in a table. */
  readonly isInTable: boolean;
  /** If true, the end of the paragraph is the end of a row. */
  readonly endsRow: boolean;
  /** This is the outline level from 0, or null. */
  readonly outline: number | null;
  /** These are the number of the list and the level in it, or undefined where the style says them. */
  readonly list: number | undefined;
  readonly level: number | undefined;
}

/** Returns what holds at an offset of the main stream, or undefined. */
export type Lookup<T> = (offset: number) => T | undefined;

export function paragraphsOf(header: DocHeader): Lookup<ParagraphProperties> {
  const storedAt = storedProperties(header.data);
  const read = (page: Buffer, at: number) => paragraphIn(page, at, storedAt);
  return lookup(header, { pair: PAIR.paragraphRuns, entryBytes: 13, read });
}

/** This says why a character is not shown. */
export type WhyHidden = 'deleted' | 'hidden';

/** The lookup returns null for characters that are shown. */
export function hiddenOf(header: DocHeader): Lookup<WhyHidden | null> {
  return lookup(header, { pair: PAIR.characterRuns, entryBytes: 1, read: whyHiddenIn });
}

interface Runs<T> {
  readonly pair: (typeof PAIR)['paragraphRuns' | 'characterRuns'];
  /** This is the number of bytes of an entry of a page; the first one says where the properties stand. */
  readonly entryBytes: number;
  readonly read: (page: Buffer, at: number) => T;
}

function lookup<T>(header: DocHeader, runs: Runs<T>): Lookup<T> {
  const found = runsIn(header, runs);
  return (offset) => {
    const run = found[countUpTo(found, offset) - 1];
    return run && offset < run.end ? run.value : undefined;
  };
}

interface PropertyRun<T> {
  readonly start: number;
  readonly end: number;
  readonly value: T;
}

function runsIn<T>(
  { main, part }: DocHeader,
  { pair, entryBytes, read }: Runs<T>,
): PropertyRun<T>[] {
  const bins = part(pair);
  const count = Math.floor((bins.length - 4) / 8);
  const runs: PropertyRun<T>[] = [];
  const seen = new Set<number>();
  for (let i = 0; i < count; i++) {
    const number = bins.readUInt32LE(4 * (count + 1) + 4 * i) & 0x3fffff;
    const page = main.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
    if (seen.has(number) || page.length < PAGE_BYTES) continue;
    seen.add(number);
    const length = page[PAGE_BYTES - 1] ?? 0;
    for (let j = 0; j < length; j++) {
      const entry = 4 * (length + 1) + entryBytes * j;
      if (entry >= PAGE_BYTES) break;
      const start = page.readUInt32LE(4 * j);
      const end = page.readUInt32LE(4 * j + 4);
      runs.push({ start, end, value: read(page, 2 * (page[entry] ?? 0)) });
    }
  }
  return runs.toSorted((a, b) => a.start - b.start);
}

/** Each paragraph has an object of its own, by which it is told from the one before. */
const plainParagraph = (): ParagraphProperties => ({
  style: 0,
  isInTable: false,
  endsRow: false,
  outline: null,
  list: undefined,
  level: undefined,
});

/**
 * Returns a function that reads the properties (PrcData) at an offset. Many paragraphs of a small file could refer to
 * the same bytes, so no more bytes are read than the stream has.
 */
function storedProperties(data: Buffer): (at: number) => PropertyOperands {
  const known = new Map<number, PropertyOperands>();
  let left = data.length;
  return (at) => {
    const found = known.get(at);
    if (found) return found;
    const length = at + 2 <= data.length ? data.readUInt16LE(at) : 0;
    left -= 2 + length;
    const properties = left < 0 ? NONE : propertiesIn(data.subarray(at + 2, at + 2 + length));
    known.set(at, properties);
    return properties;
  };
}

const NONE: PropertyOperands = new Map();

function paragraphIn(
  page: Buffer,
  at: number,
  storedAt: (offset: number) => PropertyOperands,
): ParagraphProperties {
  if (at === 0) return plainParagraph();
  const words = page[at] ?? 0;
  const start = words === 0 ? at + 2 : at + 1;
  const end = words === 0 ? start + 2 * (page[at + 1] ?? 0) : start + 2 * words - 1;
  if (start + 2 > page.length) return plainParagraph();
  const own = propertiesIn(page.subarray(start + 2, end));
  const stored = own.get(SPRM.stored) ?? own.get(SPRM.storedOfWord97);
  const properties = stored === undefined ? own : storedAt(stored);
  const outline = properties.get(SPRM.outline);
  return {
    style: properties.get(SPRM.style) ?? page.readUInt16LE(start),
    isInTable: properties.get(SPRM.isInTable) === 1,
    endsRow: properties.get(SPRM.endsRow) === 1,
    outline: outline !== undefined && outline < 9 ? outline : null,
    list: properties.get(SPRM.list),
    level: properties.get(SPRM.level),
  };
}

function whyHiddenIn(page: Buffer, at: number): WhyHidden | null {
  if (at === 0) return null;
  const properties = propertiesIn(page.subarray(at + 1, at + 1 + (page[at] ?? 0)));
  if (properties.get(SPRM.isDeleted) === 1) return 'deleted';
  return properties.get(SPRM.isHidden) === 1 ? 'hidden' : null;
}

/** Numbers the items of the lists of a binary Word document (MS-DOC, sections 2.9.131, 2.9.149 and 2.9.150). */
import type { Item } from '../office/blocks.ts';
import { type ListCounters, type NumberedLevel, nextItem } from '../office/list-numbers.ts';
import { type DocHeader, PAIR } from './header.ts';

const LEVELS = 9;
const LARGEST_START = 1_000_000;
/** Higher numbers of uses say that the paragraph is not an item of a list. */
const LARGEST_USE = 0xf7ff;

/** These are the numbers of bytes of the structures LSTF, LVLF, LFO, and of the beginnings of LFOData and LFOLVL. */
const LIST_BYTES = 28;
const LEVEL_BYTES = 28;
const USE_BYTES = 16;
const USE_DATA_BYTES = 4;
const CHANGE_BYTES = 8;

const IS_SIMPLE = 1;
const LEVEL_NUMBER = 0xf;
const CHANGES_START = 0x10;
const CHANGES_LEVEL = 0x20;

/** Maps formats of numbers (MSONFC) to ours; others are written as decimal numbers. */
const FORMATS: ReadonlyMap<number, NumberedLevel['format']> = new Map([
  [1, 'ROMAN'],
  [2, 'roman'],
  [3, 'LETTERS'],
  [4, 'letters'],
  [23, 'bullet'],
  [255, 'none'],
]);
const UNKNOWN: NumberedLevel = { format: 'bullet', pattern: '', start: 1 };

interface DocList {
  readonly levels: readonly NumberedLevel[];
  readonly counters: ListCounters;
}

interface LevelChanges {
  readonly changed: ReadonlyMap<number, Partial<NumberedLevel>>;
  /** The numbers begin again from this level on, or none of them when it is LEVELS. */
  readonly restartsAt: number;
}

const NO_CHANGES: LevelChanges = { changed: new Map(), restartsAt: LEVELS };

/** A paragraph refers to a use of a list, which may change some of its levels. */
interface DocListUse extends LevelChanges {
  readonly list: DocList | undefined;
  isBegun: boolean;
}

export interface DocLists {
  /** Returns how the next item is numbered, or null when the paragraph is not an item of a list. */
  next(use: number, level: number): Item | null;
}

export function listsOf(header: DocHeader): DocLists {
  const uses = usesIn(header.partOn(PAIR.listUses), listsIn(header.partOn(PAIR.lists)));
  return {
    next(number, level) {
      if (number === 0 || number > LARGEST_USE) return null;
      const use = uses[number - 1];
      const at = Math.min(level, LEVELS - 1);
      if (!use?.list) return { level: at, label: '' };
      const { list, changed } = use;
      if (!use.isBegun) list.counters.splice(use.restartsAt);
      use.isBegun = true;
      return nextItem(list.counters, at, (one) => ({
        ...(list.levels[one] ?? UNKNOWN),
        ...changed.get(one),
      }));
    },
  };
}

/** The levels of all lists stand behind the lists themselves. */
function listsIn(part: Buffer): ReadonlyMap<number, DocList> {
  const lists = new Map<number, DocList>();
  const count = part.length < 2 ? 0 : part.readUInt16LE(0);
  const reader = readerOf(part, 2 + LIST_BYTES * count);
  for (let i = 0; i < count && !reader.isAtEnd(); i++) {
    const at = 2 + LIST_BYTES * i;
    const isSimple = ((part[at + 26] ?? 0) & IS_SIMPLE) !== 0;
    const levels = Array.from({ length: isSimple ? 1 : LEVELS }, () => reader.level());
    lists.set(part.readUInt32LE(at), { levels, counters: [] });
  }
  return lists;
}

/** The changes that uses make in their lists stand behind all uses, also behind those that no paragraph can name. */
function usesIn(part: Buffer, lists: ReadonlyMap<number, DocList>): DocListUse[] {
  if (part.length < 4) return [];
  const stored = Math.min(part.readUInt32LE(0), Math.floor((part.length - 4) / USE_BYTES));
  const reader = readerOf(part, 4 + USE_BYTES * stored);
  return Array.from({ length: Math.min(stored, LARGEST_USE) }, (_, i) => {
    const at = 4 + USE_BYTES * i;
    return {
      list: lists.get(part.readUInt32LE(at)),
      ...reader.changes(part[at + 12] ?? 0),
      isBegun: false,
    };
  });
}

function readerOf(part: Buffer, start: number) {
  let at = start;
  const isAtEnd = (): boolean => at >= part.length;

  /** Reads a level (LVL): its numbers, two lists of properties, and the text of its number. */
  function level(): NumberedLevel {
    const textAt = at + LEVEL_BYTES + (part[at + 24] ?? 0) + (part[at + 25] ?? 0);
    if (textAt + 2 > part.length) {
      at = part.length;
      return UNKNOWN;
    }
    const start = startOf(part.readInt32LE(at));
    const format = FORMATS.get(part[at + 4] ?? 0) ?? 'decimal';
    at = textAt + 2 + 2 * part.readUInt16LE(textAt);
    return { format, pattern: patternOf(part.toString('utf16le', textAt + 2, at)), start };
  }

  function changes(count: number): LevelChanges {
    at += USE_DATA_BYTES;
    if (count === 0) return NO_CHANGES;
    const changed = new Map<number, Partial<NumberedLevel>>();
    let restartsAt = LEVELS;
    for (let i = 0; i < count && at + CHANGE_BYTES <= part.length; i++) {
      const start = startOf(part.readInt32LE(at));
      const flags = part.readUInt32LE(at + 4);
      at += CHANGE_BYTES;
      const changedLevel = flags & LEVEL_NUMBER;
      if (flags & CHANGES_LEVEL) changed.set(changedLevel, level());
      else if (flags & CHANGES_START) changed.set(changedLevel, { start });
      if (flags & CHANGES_START) restartsAt = Math.min(restartsAt, changedLevel);
    }
    return { changed, restartsAt };
  }

  return { isAtEnd, level, changes };
}

const startOf = (start: number): number => (start >= 0 && start <= LARGEST_START ? start : 1);

/** In the text of a number, the characters 0 to 8 stand for the numbers of the levels. */
function patternOf(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: These characters stand for numbers.
  return text.replaceAll(/[\x00-\x08]/g, (level) => `%${level.charCodeAt(0) + 1}`);
}

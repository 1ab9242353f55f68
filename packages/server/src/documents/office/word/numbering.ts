/** Numbers the items of the lists of a DOCX as Word does (ECMA-376 part 1, 17.9). */
import type { Item } from '../blocks.ts';
import { type ListCounters, type NumberedLevel, nextItem } from '../list-numbers.ts';
import type { OfficePackage } from '../package.ts';
import { attribute, numberIn } from '../xml.ts';

const LEVELS = 9;
const LARGEST_START = 1_000_000;

const FORMATS: Readonly<Record<string, NumberedLevel['format']>> = {
  bullet: 'bullet',
  none: 'none',
  lowerLetter: 'letters',
  upperLetter: 'LETTERS',
  lowerRoman: 'roman',
  upperRoman: 'ROMAN',
};

interface ListLevel {
  format?: string;
  /** This is a pattern such as `%1.%2`, where %1 is the number of the outermost level. */
  pattern?: string;
  start?: number;
}

interface NumberedList {
  readonly levels: Map<number, ListLevel>;
  /** If given, the levels are those of the list that defines this style of numbering. */
  style?: string;
  readonly counters: ListCounters;
}

interface ListUse {
  list?: string;
  /** These replace the definitions of the list. */
  readonly levels: Map<number, ListLevel>;
  /** The numbers begin again from this level on, or none of them when it is LEVELS. */
  restartsAt: number;
  isBegun: boolean;
}

const startIn = (value: string | undefined): number => numberIn(value, LARGEST_START) ?? 1;

export interface Numbering {
  /** Returns how the next item is numbered, or null when the paragraph is not an item of a list. */
  next(numId: string | undefined, level: number): Item | null;
}

export function readNumbering(document: OfficePackage, path: string | undefined): Numbering {
  const lists = new Map<string, NumberedList>();
  const uses = new Map<string, ListUse>();
  const byStyle = new Map<string, NumberedList>();
  let list: NumberedList = { levels: new Map(), counters: [] };
  let levels = new Map<number, ListLevel>();
  let use: ListUse = { levels, restartsAt: LEVELS, isBegun: false };
  let level: ListLevel = {};
  let levelAt = 0;
  const openLevel = (at: string | undefined): void => {
    levelAt = numberIn(at, LEVELS - 1) ?? 0;
    level = levels.get(levelAt) ?? {};
    levels.set(levelAt, level);
  };
  document.read(path, {
    open(name, attributes) {
      const value = () => attribute(attributes, 'val');
      switch (name) {
        case 'abstractNum':
          levels = new Map();
          list = { levels, counters: [] };
          lists.set(attribute(attributes, 'abstractNumId') ?? '', list);
          break;
        case 'numStyleLink':
          list.style = value() ?? '';
          break;
        case 'styleLink':
          byStyle.set(value() ?? '', list);
          break;
        case 'num':
          levels = new Map();
          use = { levels, restartsAt: LEVELS, isBegun: false };
          uses.set(attribute(attributes, 'numId') ?? '', use);
          break;
        case 'abstractNumId':
          use.list = value() ?? '';
          break;
        case 'lvlOverride':
        case 'lvl':
          openLevel(attribute(attributes, 'ilvl'));
          break;
        case 'numFmt':
          level.format = value() ?? '';
          break;
        case 'lvlText':
          level.pattern = value() ?? '';
          break;
        case 'startOverride':
          use.restartsAt = Math.min(use.restartsAt, levelAt);
          level.start = startIn(value());
          break;
        case 'start':
          level.start = startIn(value());
          break;
        case 'Fallback':
          return 'skip';
      }
      return undefined;
    },
  });

  return {
    next(numId, at) {
      const used = numId === undefined ? undefined : uses.get(numId);
      const list = used && lists.get(used.list ?? '');
      if (!used || !list) return null;
      const { levels: defined } = (list.style !== undefined && byStyle.get(list.style)) || list;
      if (!used.isBegun) list.counters.splice(used.restartsAt);
      used.isBegun = true;
      return nextItem(list.counters, at, (one) => {
        const {
          format = '',
          pattern = '',
          start = 1,
        } = {
          ...defined.get(one),
          ...used.levels.get(one),
        };
        return { format: FORMATS[format] ?? 'decimal', pattern, start };
      });
    },
  };
}

/** The state of the reading of a text of OpenDocument: which paragraphs, lists and tables are open. */

import type { TextBudget } from '../../budget.ts';
import { type Blocks, createBlocks } from '../blocks.ts';
import type { OdfStyles } from './styles.ts';

/** Deeper tables and frames are written like those of this level, so that no text is copied more often. */
export const MAX_NESTED = 4;

export interface OdfParagraph {
  readonly parts: string[];
  readonly after: ((blocks: Blocks) => void)[];
  isHidden: boolean;
}

interface OdfList {
  readonly style: string | undefined;
  readonly level: number;
  /** These are the numbers of the items down to this level. */
  readonly counters: number[];
  item: 'none' | 'begun' | 'continued';
}

interface OdfTable {
  readonly rows: string[][];
  row: string[];
  inCell: boolean;
}

export interface OdfText {
  readonly styles: OdfStyles;
  readonly budget: TextBudget;
  blocks: Blocks;
  paragraph: OdfParagraph | null;
  list: OdfList | null;
  table: OdfTable | null;
  tables: number;
  frames: number;
  /** These are the footnotes and endnotes in their order. */
  readonly notes: string[];
  /** This collects the text of an element that is not a paragraph, such as the name of an author. */
  field: string[] | null;
  /** This is the author of the open comment, or null outside of comments. */
  author: string | null;
  /** If true, the open element describes a shape, and is not running text. */
  inShape: boolean;
  readonly lastCounters: Map<string, number[]>;
}

export const newOdfText = (styles: OdfStyles, budget: TextBudget): OdfText => ({
  styles,
  budget,
  blocks: createBlocks(),
  paragraph: null,
  list: null,
  table: null,
  tables: 0,
  frames: 0,
  notes: [],
  field: null,
  author: null,
  inShape: false,
  lastCounters: new Map(),
});

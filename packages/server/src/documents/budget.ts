import { MAX_CHARACTERS } from './kinds.ts';

/** All parts of a document share one budget of characters, so that reading stops when there are too many. */
export interface TextBudget {
  /** This is the number of characters that may follow. Below 0, nothing more is read. */
  left: number;
}

export const newBudget = (): TextBudget => ({ left: MAX_CHARACTERS });

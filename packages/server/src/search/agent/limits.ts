/** Says how much one request may do. A limit that is reached ends the search, never the answer. */
import type { AgenticBody } from './schema.ts';

export interface AgentLimits {
  /** Searches and reads count together. */
  readonly uses: number;
  /** After each evaluation it may search on. */
  readonly rounds: number;
  readonly timeMs: number;
  /** The tokens of the language model count in and out together. */
  readonly tokens: number;
}

/**
 * Time is twice the latency that is typical at most (3 and 15 seconds): enough for a slow model, and still
 * an answer for somebody who waits. A fast pass asks the question and two parts of it, so that it costs
 * a few searches; a plan that is not done after a dozen uses repeats itself. Tokens pay for so many prompts
 * with the best passages in them: two in a fast pass, eight otherwise.
 */
export const LIMITS: Readonly<Record<AgenticBody['mode'], AgentLimits>> = {
  fast: { uses: 3, rounds: 1, timeMs: 6_000, tokens: 16_000 },
  thinking: { uses: 12, rounds: 4, timeMs: 30_000, tokens: 64_000 },
};

/** This is the reason with which a search is stopped when its time is over. */
export const OUT_OF_TIME = new Error('the time of this search is over');

/** A caller who names no limit gets so many results, and every evaluation looks at so many. */
export const USUAL_RESULTS = 20;

/**
 * These limits say how much one request may do. A request that reaches a limit stops searching and still gets an
 * answer.
 */
import type { AgenticBody } from './schema.ts';

export interface AgentLimits {
  /** Searches and reads count together. */
  readonly uses: number;
  /** Each round ends with an evaluation; after the last round, the search does not go on. */
  readonly rounds: number;
  readonly timeMs: number;
  /** The tokens into and out of the language model count together. */
  readonly tokens: number;
}

/**
 * The time is twice the longest usual latency (3 seconds for `fast` and 15 for `thinking`), which is enough for a slow
 * model. `fast` has enough uses to search for the question and two parts of it. A plan that is not done after a dozen
 * uses only repeats itself. The tokens are enough for two prompts with the best passages in `fast`, and for eight in
 * `thinking`.
 */
export const LIMITS: Readonly<Record<AgenticBody['mode'], AgentLimits>> = {
  fast: { uses: 3, rounds: 1, timeMs: 6_000, tokens: 16_000 },
  thinking: { uses: 12, rounds: 4, timeMs: 30_000, tokens: 64_000 },
};

/** A search whose time is over is stopped with this reason. */
export const OUT_OF_TIME = new Error('the time of this search is over');

/** A caller that names no limit gets this many results, and every evaluation looks at this many. */
export const USUAL_RESULTS = 20;

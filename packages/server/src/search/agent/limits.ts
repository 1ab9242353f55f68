/** Says how much one request may do. Reaching a limit ends the search, but never prevents the answer. */
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
 * The time is twice the longest typical latency (3 and 15 seconds): that is enough for a slow model, and a user
 * who waits still gets an answer. A fast pass asks the question and two parts of it, so that it costs a few
 * searches; a plan that is not done after a dozen uses repeats itself. The tokens pay for prompts with the best
 * passages in them: two prompts in a fast pass, eight otherwise.
 */
export const LIMITS: Readonly<Record<AgenticBody['mode'], AgentLimits>> = {
  fast: { uses: 3, rounds: 1, timeMs: 6_000, tokens: 16_000 },
  thinking: { uses: 12, rounds: 4, timeMs: 30_000, tokens: 64_000 },
};

/** A search whose time is over is stopped with this reason. */
export const OUT_OF_TIME = new Error('the time of this search is over');

/** A caller that names no limit gets this many results, and every evaluation looks at this many. */
export const USUAL_RESULTS = 20;

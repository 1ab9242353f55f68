/**
 * Asks a language model on behalf of one search: a few questions under one budget. A built-in method replaces the
 * answer to a question that fails, and the search reports this.
 */
import {
  type Llm,
  type LlmBudget,
  LlmError,
  type LlmQuestion,
  type LlmUsage,
} from '../../engines/llm/llm.ts';
import { sha256 } from '../../model/hash.ts';
import type { ModelCache } from './model-cache.ts';

/** The questions of one search share this many tokens. */
const TOKENS = 30_000;
const LONGEST_MS = 20_000;

export interface Assistant {
  /** Returns undefined when a model is not configured or has not answered. Throws the reason of the signal. */
  ask<T>(question: LlmQuestion<T>, how: 'uncached' | 'cached'): Promise<T | undefined>;
  /** This is the usage of the questions that were answered in this search; answers from the cache do not count. */
  readonly usage: readonly LlmUsage[];
}

export function assist(llm: Llm | null, kept: ModelCache, signal: AbortSignal): Assistant {
  const budget: LlmBudget = { tokens: TOKENS, deadline: Date.now() + LONGEST_MS };
  const usage: LlmUsage[] = [];
  return {
    usage,
    async ask<T>(question: LlmQuestion<T>, how: 'uncached' | 'cached') {
      if (!llm) return undefined;
      const { purpose, instructions, material } = question;
      const key = sha256(JSON.stringify([llm.model, purpose, instructions, material]));
      const known = how === 'cached' ? kept.get(key) : undefined;
      if (known) return known.value as T;
      try {
        const answer = await llm.ask(question, budget, signal);
        usage.push(answer.usage);
        if (how === 'cached') kept.set(key, { value: answer.value });
        return answer.value;
      } catch (error) {
        // The engine logs failures of models; the search goes on and reports that it had no answer.
        if (error instanceof LlmError) return undefined;
        throw error;
      }
    },
  };
}

/**
 * Does what a language model does for one search: a few questions under one budget. A question that comes to
 * nothing is answered by what is built in, and the search says so.
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

/** The questions of one search share so many tokens. */
const TOKENS = 30_000;
const LONGEST_MS = 20_000;

export interface Assistant {
  /** Gives undefined when there is no model, or none has answered. Throws the reason of the signal. */
  ask<T>(question: LlmQuestion<T>, how: 'anew' | 'kept'): Promise<T | undefined>;
  /** It holds what the questions took that were answered in this search, and not before. */
  readonly usage: readonly LlmUsage[];
}

export function assist(llm: Llm | null, kept: ModelCache, signal: AbortSignal): Assistant {
  const budget: LlmBudget = { tokens: TOKENS, deadline: Date.now() + LONGEST_MS };
  const usage: LlmUsage[] = [];
  return {
    usage,
    async ask<T>(question: LlmQuestion<T>, how: 'anew' | 'kept') {
      if (!llm) return undefined;
      const { purpose, instructions, material } = question;
      const key = sha256(JSON.stringify([llm.model, purpose, instructions, material]));
      const known = how === 'kept' ? kept.get(key) : undefined;
      if (known) return known.value as T;
      try {
        const answer = await llm.ask(question, budget, signal);
        usage.push(answer.usage);
        if (how === 'kept') kept.set(key, { value: answer.value });
        return answer.value;
      } catch (error) {
        // The engine has said why; the search goes on and shows that it did without.
        if (error instanceof LlmError) return undefined;
        throw error;
      }
    },
  };
}

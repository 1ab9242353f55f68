/**
 * Counts what the calls of one question take of the budget. A call reserves the most that it may take before it
 * begins, so that questions asked at once cannot overdraw what they share, and gives back the rest.
 */
import { type LlmBudget, LlmError, type LlmUsage } from './llm.ts';

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Spending {
  /**
   * Throws LlmError when the budget is too small. The caller calls the returned function once, with what was
   * taken.
   */
  begin(most: TokenUsage): (taken: TokenUsage) => void;
  readonly spent: Omit<LlmUsage, 'model'>;
}

export function spendingOf(budget: LlmBudget): Spending {
  const spent = { inputTokens: 0, outputTokens: 0, calls: 0 };
  return {
    spent,
    begin(most) {
      const price = most.inputTokens + most.outputTokens;
      if (price > budget.tokens)
        throw new LlmError(
          'budget',
          `${budget.tokens} tokens are left, and the question may take ${price}`,
        );
      spent.calls++;
      budget.tokens -= price;
      return ({ inputTokens, outputTokens }) => {
        spent.inputTokens += inputTokens;
        spent.outputTokens += outputTokens;
        budget.tokens += price - inputTokens - outputTokens;
      };
    },
  };
}

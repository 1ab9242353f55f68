/**
 * Counts the tokens that the calls of one question take from the budget. Before a call begins, it reserves the most
 * tokens that it may take; afterwards it gives back those that it did not take. So questions that run at the same time
 * cannot exceed the budget that they share.
 */
import { type LlmBudget, LlmError, type LlmUsage } from './llm.ts';

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Spending {
  /**
   * Reserves tokens. Throws LlmError when the budget is too small. The caller must call the returned function once,
   * with the tokens that were really taken.
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

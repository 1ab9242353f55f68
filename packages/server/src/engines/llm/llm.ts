/**
 * Asks a language model questions whose answers have a shape. The models of the configuration are asked one after
 * the other until one of them has answered; all together have one deadline and one budget of tokens.
 *
 * The subject of a question (synced text, the words of a user) goes in as `material`, which the prompt marks as
 * data. The material may still lie, so a caller checks what it does with an answer.
 */
import type { z } from 'zod';

export interface LlmQuestion<T> {
  /**
   * The purpose, such as 'expand', stands in logs, in the usage and in the name of the shape. It has only letters,
   * digits, _ and -.
   */
  readonly purpose: string;
  readonly instructions: string;
  /** The material is data, and never instructions. */
  readonly material: readonly { readonly label: string; readonly text: string }[];
  readonly schema: z.ZodType<T>;
  /** The limit counts for the answer; the thoughts of a model before its answer come on top. */
  readonly maxOutputTokens: number;
  /** The timeout counts for all models together. */
  readonly timeoutMs: number;
}

export interface LlmUsage {
  /** This model has answered. */
  readonly model: string;
  /**
   * The tokens are those of all calls, also of failed ones. They are estimated where a model does not report them.
   */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
}

export interface LlmBudget {
  /** This many tokens are left; every call lowers the number. */
  tokens: number;
  /** The deadline is in milliseconds since 1970. */
  readonly deadline: number;
}

export interface Llm {
  /** This is the first model of the chain. */
  readonly model: string;
  /** Throws LlmError after the last model has failed, or the reason of the signal. */
  ask<T>(
    question: LlmQuestion<T>,
    budget: LlmBudget,
    signal: AbortSignal,
  ): Promise<{ readonly value: T; readonly usage: LlmUsage }>;
}

export class LlmError extends Error {
  override readonly name = 'LlmError';
  /** `invalid` means that answers had another shape than asked for, and `budget` that too few tokens are left. */
  readonly kind: 'unavailable' | 'timeout' | 'invalid' | 'budget';

  constructor(kind: LlmError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

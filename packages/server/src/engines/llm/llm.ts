/**
 * This is the interface for asking a language model a question whose answer must fit a schema. The configured models
 * are asked one after the other until one of them has answered. They share one deadline and one budget of tokens.
 *
 * The texts that a question is about (synced text, the query of a user) are passed as `material`, which the prompt
 * marks as data. The material may still try to mislead the model, so a caller must check an answer before it acts on
 * it.
 */
import type { Logger } from 'pino';
import type { z } from 'zod';

export interface LlmQuestion<T> {
  /**
   * The purpose, such as 'expand', is written to logs and is the name of the schema. It may have only letters, digits,
   * _ and -.
   */
  readonly purpose: string;
  readonly instructions: string;
  /** The prompt presents the material as data and not as instructions. */
  readonly material: readonly { readonly label: string; readonly text: string }[];
  readonly schema: z.ZodType<T>;
  /** This limits the tokens of the answer, without those that a model uses for its reasoning. */
  readonly maxOutputTokens: number;
  /** This timeout is for all models together. */
  readonly timeoutMs: number;
  /** Its lines have the ids of the request. Without it, the log of the thread is used. */
  readonly log?: Pick<Logger, 'warn'>;
}

export interface LlmUsage {
  /** This is the model that has answered. */
  readonly model: string;
  /** These are the tokens of all calls, also of failed ones. They are estimated when a model does not report them. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
}

export interface LlmBudget {
  /** This is the number of remaining tokens; every call lowers it. */
  tokens: number;
  /** The deadline is in milliseconds since 1970. */
  readonly deadline: number;
}

export interface Llm {
  /** This is the name of the first model. */
  readonly model: string;
  /** Throws LlmError when all models have failed, or the reason of the signal when it aborts. */
  ask<T>(
    question: LlmQuestion<T>,
    budget: LlmBudget,
    signal: AbortSignal,
  ): Promise<{ readonly value: T; readonly usage: LlmUsage }>;
}

export class LlmError extends Error {
  override readonly name = 'LlmError';
  /** `invalid` means that the answer did not fit the schema, and `budget` that too few tokens remain. */
  readonly kind: 'unavailable' | 'timeout' | 'invalid' | 'budget';

  constructor(kind: LlmError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

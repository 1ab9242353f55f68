/**
 * Questions to a language model whose answers have a shape. The models of the configuration are asked
 * one after the other until one has answered; all together have one deadline and one budget of tokens.
 *
 * What a question is about (synced text, the words of a user) goes in as `material`, which the prompt
 * marks as data. That keeps nobody from lying in it: a caller checks what it does with an answer.
 */
import type { z } from 'zod';

export interface LlmQuestion<T> {
  /** For logs, usage and the name of the shape: 'expand'. Letters, digits, _ and - alone. */
  readonly purpose: string;
  readonly instructions: string;
  /** Data, never instructions. */
  readonly material: readonly { readonly label: string; readonly text: string }[];
  readonly schema: z.ZodType<T>;
  /** Of the answer; what a model thinks before it comes on top. */
  readonly maxOutputTokens: number;
  /** For all models together. */
  readonly timeoutMs: number;
}

export interface LlmUsage {
  /** That has answered. */
  readonly model: string;
  /** Of all calls, those that failed included. Estimated where a model does not say. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
}

export interface LlmBudget {
  /** Left; every call lowers it. */
  tokens: number;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

export interface Llm {
  /** The first of the chain. */
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
  /** `invalid`: answers of another shape than asked for. `budget`: too few tokens are left. */
  readonly kind: 'unavailable' | 'timeout' | 'invalid' | 'budget';

  constructor(kind: LlmError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

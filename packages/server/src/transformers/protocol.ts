/** Between a job and the child process in which its transformers run. See sandbox/frames.ts. */
import { z } from 'zod';

export interface FunctionRequest {
  /** Absolute path. */
  readonly module: string;
  readonly method: string;
  /** What the function is called with; null: only look whether it can be called. */
  readonly call: { readonly entities: readonly unknown[]; readonly config: unknown } | null;
}

/** The form of an answer: a function can write one in the place of the child. */
export const FunctionOutcome = z.discriminatedUnion('is', [
  z.object({ is: z.literal('callable') }),
  /** `json` holds what the function has returned. */
  z.object({ is: z.literal('returned'), json: z.string() }),
  z.object({ is: z.literal('broken'), reason: z.string() }),
]);
export type FunctionOutcome = z.infer<typeof FunctionOutcome>;

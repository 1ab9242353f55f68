/** A job and the child process of its transformers exchange these messages. sandbox/frames.ts says how. */
import { z } from 'zod';

export interface FunctionRequest {
  /** The path of the module is absolute. */
  readonly module: string;
  readonly method: string;
  /** The function is called with these values. With null, the child only checks whether the function can be called. */
  readonly call: { readonly entities: readonly unknown[]; readonly config: unknown } | null;
}

/** The form of an answer is checked, because the function can write an answer itself, without the code of the child. */
export const FunctionOutcome = z.discriminatedUnion('is', [
  z.object({ is: z.literal('callable') }),
  /** `json` holds what the function has returned. */
  z.object({ is: z.literal('returned'), json: z.string() }),
  z.object({ is: z.literal('broken'), reason: z.string() }),
]);
export type FunctionOutcome = z.infer<typeof FunctionOutcome>;

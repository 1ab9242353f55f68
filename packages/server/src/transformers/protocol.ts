/** Between a job and the child process in which its transformers run. See sandbox/frames.ts. */
import type { Answered } from '../sandbox/serve.ts';

export interface Request {
  /** Absolute path. */
  readonly module: string;
  readonly method: string;
  /** What the function is called with; null: only look whether it can be called. */
  readonly call: { readonly entities: readonly unknown[]; readonly config: unknown } | null;
}

export type Outcome =
  | { readonly is: 'callable' }
  /** What the function has returned, as JSON. */
  | { readonly is: 'returned'; readonly json: string }
  | { readonly is: 'broken'; readonly reason: string };

export type Answer = Outcome & Answered;

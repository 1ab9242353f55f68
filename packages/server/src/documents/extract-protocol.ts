/**
 * The extractor and its child process exchange these messages. The bytes of the file follow a request on standard
 * input, exactly `size` of them, so that the child does not have to open a file.
 */
import { z } from 'zod';
import type { DocumentKind } from './kinds.ts';

export interface ExtractRequest {
  readonly kind: DocumentKind;
  readonly size: number;
}

/**
 * The form of an answer is checked, because a parser that a document has taken over can
 * write one in place of the child.
 */
export const ExtractOutcome = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('text'),
    text: z.string(),
    pages: z.array(z.int().nonnegative()).readonly().exactOptional(),
  }),
  z.object({
    is: z.literal('skip'),
    omission: z.object({
      reason: z.string(),
      detail: z.string().exactOptional(),
      hint: z.string().exactOptional(),
    }),
  }),
  z.object({ is: z.literal('broken'), reason: z.string(), hint: z.string().nullable() }),
]);
export type ExtractOutcome = z.infer<typeof ExtractOutcome>;

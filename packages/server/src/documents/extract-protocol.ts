/**
 * These are the messages between the extractor and its child process. After a request, exactly `size` bytes of the file
 * follow on standard input, so the child does not open the file itself.
 */
import { z } from 'zod';
import type { DocumentKind } from './kinds.ts';

export interface ExtractRequest {
  readonly kind: DocumentKind;
  readonly size: number;
}

/**
 * The form of an answer is checked, because a hostile document may have taken control of a parser, which could then
 * write any answer.
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

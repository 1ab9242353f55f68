/**
 * These are the messages between the extractor and its child process. After a request, exactly `size` bytes of the file
 * follow on standard input, so the child does not open the file itself.
 */
import { z } from 'zod';
import type { DocumentKind, ParsedKind } from './kinds/table.ts';
import { type FileKind, isFileKind } from './kinds.ts';
import type { OcrSetup } from './ocr/setup.ts';

export interface ExtractRequest {
  readonly kind: ParsedKind;
  readonly name: string;
  readonly size: number;
  /** These are the entries of the OptionalKinds. They are missing when no optional kind is read. */
  readonly optional?: readonly (readonly [DocumentKind, number])[];
  readonly ocr?: OcrSetup;
}

const Content = z.object({
  is: z.literal('text'),
  text: z.string(),
  isPlain: z.boolean().exactOptional(),
  pages: z.array(z.int().nonnegative()).readonly().exactOptional(),
  places: z.array(z.string()).readonly().exactOptional(),
  about: z
    .object({
      title: z.string().exactOptional(),
      author: z.string().exactOptional(),
      language: z.string().exactOptional(),
      created_at: z.string().exactOptional(),
      modified_at: z.string().exactOptional(),
    })
    .exactOptional(),
});

const Skipped = z.object({
  is: z.literal('skip'),
  omission: z.object({
    reason: z.string(),
    detail: z.string().exactOptional(),
    hint: z.string().exactOptional(),
  }),
});

const Broken = z.object({
  is: z.literal('broken'),
  reason: z.string(),
  hint: z.string().nullable(),
  /** This is the message of an error that no converter throws on purpose. It is for developers. */
  error: z.string().exactOptional(),
});

/** This installation cannot read documents of this kind, because something of it is damaged. */
const Misconfigured = z.object({
  is: z.literal('misconfigured'),
  reason: z.string(),
  hint: z.string().nullable(),
});

/** This is what became of a document that is inside of the file. */
const InnerOutcome = z.object({
  path: z.string(),
  name: z.string().exactOptional(),
  kind: z.custom<FileKind>(isFileKind),
  outcome: z.discriminatedUnion('is', [Content, Skipped, Broken]),
});
export type InnerOutcome = z.infer<typeof InnerOutcome>;

/**
 * The form of an answer is checked, because a hostile document may have taken control of a parser, which could then
 * write any answer.
 */
export const ExtractOutcome = z.discriminatedUnion('is', [
  Content.extend({
    inner: z.array(InnerOutcome).readonly().exactOptional(),
    /**
     * These are the further kinds as which the document was read: those of a file that is packed alone, such as the text
     * in `log.gz`, and those of a document that is of another kind than its name says.
     */
    readAs: z.array(z.custom<FileKind>(isFileKind)).readonly().exactOptional(),
  }),
  Skipped,
  Broken,
  Misconfigured,
]);
export type ExtractOutcome = z.infer<typeof ExtractOutcome>;

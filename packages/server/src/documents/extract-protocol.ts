/**
 * This is what the extractor and its child process say to each other. The bytes of the file follow a request
 * on standard input, exactly `size` of them, so that the child needs to open no file.
 */
import type { Answered } from '../sandbox/serve.ts';
import type { DocumentKind } from './kinds.ts';
import type { Omission } from './omission.ts';

export interface Request {
  readonly kind: DocumentKind;
  readonly size: number;
}

export type Outcome =
  | { readonly is: 'text'; readonly text: string; readonly pages?: readonly number[] }
  | { readonly is: 'skip'; readonly omission: Omission }
  | { readonly is: 'broken'; readonly reason: string; readonly hint: string | null };

export type Answer = Outcome & Answered;

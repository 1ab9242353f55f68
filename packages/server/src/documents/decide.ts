/** Decides by the name, the size and the first bytes of a file whether and how it is read. */
import { secretOf } from '../model/secret-forms.ts';
import {
  asciiHeadOf,
  type FileKind,
  kindOf,
  type OptionalKinds,
  reasonNotToOpen,
  tooLarge,
} from './kinds.ts';
import { notReadByContent } from './not-read.ts';
import type { Omission } from './omission.ts';

/** The first bytes are enough to recognize files that are not text, so such files are not read to their end. */
export const HEAD_BYTES = 64 * 1024;

export interface SkipReason extends Omission {
  /** If set, a stored record of the file must be deleted. */
  readonly removes?: 'record';
}

export interface FileSeen {
  readonly name: string;
  /** This is the size in bytes. */
  readonly size: number;
  /** These are the first HEAD_BYTES bytes. */
  readonly head: Uint8Array;
  /** If true, somebody has named the file explicitly, so it is read even if it is a secret. */
  readonly isNamed?: boolean;
}

export function decide(
  { name, size, head, isNamed = false }: FileSeen,
  optional?: OptionalKinds,
): { readonly kind: FileKind } | SkipReason {
  const beginning = asciiHeadOf(head);
  const kind = kindOf(name, beginning);
  return (
    reasonNotToOpen(name, size, optional) ??
    (isNamed ? null : secretReason(beginning)) ??
    tooLarge(kind, size, optional) ??
    (kind === 'plain' ? notReadByContent(name, beginning) : null) ?? { kind }
  );
}

function secretReason(beginning: string): SkipReason | null {
  const detail = secretOf(beginning);
  if (detail === null) return null;
  const hint = 'To take it in, add its path to include of the connection.';
  return { reason: 'left out as secrets', detail, hint, removes: 'record' };
}

/** These parts of records are the same for messages of all mail servers. */
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import { oneLine } from '../../documents/mail/names.ts';
import type { FilePart } from '../../documents/mail/structure.ts';
import type { Omission } from '../../documents/omission.ts';

const MAX_NAME = 500;
const DAY_MS = 86_400_000;
export const subjectLine = (subject: string | undefined): string =>
  oneLine(subject ?? '', MAX_NAME) || '(no subject)';

export const contextOf = (from: readonly string[], to: readonly string[]): string =>
  [`From ${from.join(', ')}`, `to ${to.join(', ')}`].join(' ').slice(0, MAX_NAME);

/** Returns why a file is left out without being asked for, or null. */
export function omissionOf({ name, mediaType, size, message }: FilePart): Omission | null {
  if (message) return null;
  if (mediaType === 'application/ms-tnef')
    return {
      reason: 'of a kind that is not read yet',
      detail: 'files that Outlook has packed (winmail.dat)',
      hint: 'Ask the sender to send messages in HTML, not in Rich Text.',
    };
  return /^(?:image|audio|video|font)\//.test(mediaType)
    ? { reason: 'of a kind without text' }
    : reasonToLeaveOut(name, size);
}

export function timeOf(value: Date | string | undefined): Date | undefined {
  const date = new Date(value ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The clock of the sender may be wrong: a message was not sent before 1970, or long after it arrived. */
export const sentAt = (sent: Date | undefined, received: Date | undefined): Date | undefined =>
  sent && sent.getTime() > 0 && sent.getTime() < (received?.getTime() ?? Date.now()) + DAY_MS
    ? sent
    : received;

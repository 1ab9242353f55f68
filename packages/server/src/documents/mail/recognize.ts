/** Recognizes messages by the headers with which they begin (RFC 5322). */

/** Only mail programs write these headers, so a note that a person has written like a mail is not a message. */
const MAIL_HEADERS = [
  'content-transfer-encoding',
  'delivered-to',
  'dkim-signature',
  'message-id',
  'mime-version',
  'received',
  'return-path',
];
const MAX_HEADER_LINES = 100;
/** `git format-patch` writes mail too, but its content is program text, which is read as it is. */
const PATCH = /^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001/;
/**
 * This line stands before each message of a mailbox file (RFC 4155): the sender and the time, such as
 * `Mon Mar  3 10:00:00 2025`. Some programs leave out the sender or the seconds, or write a zone before the year.
 */
const ENVELOPE =
  /^From (?:.{0,500} )?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) +(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} +\d{1,2}:\d\d(?::\d\d)?(?: +(?:[A-Z]{1,5}|[+-]\d{4})){0,2} +\d{4}\b/i;
/** Browsers write this header in a page that is saved as one file. */
const PAGE_HEADER = 'snapshot-content-location';

export type MailForm = 'message' | 'mailbox' | 'page';

/** Returns what a file with this beginning is, or null. */
export function mailFormOf(beginning: string): MailForm | null {
  const start = beginning.trimStart();
  if (PATCH.test(start)) return null;
  const lines = start.split(/\r?\n/, MAX_HEADER_LINES);
  const isMailbox = isEnvelope(lines[0] ?? '');
  if (isMailbox) lines.shift();
  const names = namesIn(lines);
  if (!names) return null;
  if (names.has(PAGE_HEADER)) return 'page';
  if (MAIL_HEADERS.filter((name) => names.has(name)).length < 2) return null;
  return isMailbox ? 'mailbox' : 'message';
}

export const isEnvelope = (line: string): boolean => ENVELOPE.test(line);

/** Returns the names of the headers, or null when a line before the first empty one is not a header. */
function namesIn(lines: readonly string[]): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const line of lines) {
    if (line === '') break;
    const name = /^([!-9;-~]+):/.exec(line)?.[1];
    if (name !== undefined) names.add(name.toLowerCase());
    else if (!/^[ \t]/.test(line)) return null;
  }
  return names;
}

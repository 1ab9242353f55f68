/** Writes the messages of a conversation or a ticket as Markdown, each below a heading with its author and its day. */
import { htmlToMarkdown } from '../../documents/html.ts';
import { inOneLine } from '../../util.ts';
import type { IntercomPart } from './answers.ts';

type IntercomMessage = Omit<IntercomPart, 'part_type'> & { readonly part_type?: string };

/**
 * Most parts are events without a body, such as an assignment, and are left out. A part with a body is written whatever
 * its type is, because new types come without a new version of the API. A redacted part must not be found.
 */
export function threadOf(
  messages: readonly IntercomMessage[],
  of: { readonly known: number; readonly all: number },
): string {
  const sections = messages.flatMap((message) => sectionOf(message) ?? []);
  if (of.all > of.known)
    sections.unshift(
      `Intercom hands out only the newest ${of.known} of the ${of.all} parts of this record.`,
    );
  return sections.join('\n\n');
}

function sectionOf({
  body,
  author,
  redacted,
  attachments,
  part_type,
  created_at,
}: IntercomMessage) {
  if (redacted) return undefined;
  const files = attachments.flatMap(({ name }) => (name === '' ? [] : [`- ${inOneLine(name)}`]));
  const text = [htmlToMarkdown(body), files.join('\n')].filter(Boolean).join('\n\n');
  if (text === '') return undefined;
  const who = inOneLine(author?.name || author?.email || author?.type || 'Unknown');
  const day = dateOf(created_at)?.toISOString().slice(0, 10);
  const heading = [`${who}${part_type === 'note' ? ' (note)' : ''}`, day].filter(Boolean);
  return `### ${heading.join(', ')}\n\n${text}`;
}

/** Times are seconds since 1970. JavaScript has no date for a time beyond the year 275,760. */
export function dateOf(seconds: number | null): Date | undefined {
  if (seconds === null) return undefined;
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

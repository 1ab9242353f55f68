/** Writes a message as Markdown, whatever the file is from which it was read. */
import type { Container, Converted } from '../convert.ts';
import { htmlToMarkdown } from '../html.ts';
import { cleanText } from '../plain.ts';
import { plainToMarkdown } from './plain-body.ts';
import type { TextKind } from './structure.ts';

export interface MailMessage {
  /** This is one line, or ''. */
  readonly subject: string;
  /** People are written as `Ann <ann@example.org>`. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly date: Date | null;
  /** These are the texts of the body in the form with the least markup. */
  readonly plain: readonly MailText[];
  /** These are the texts of the body in the form with the most markup. */
  readonly rich: readonly MailText[];
  /** This tells readers why a part of the message cannot be read, or is ''. */
  readonly note: string;
  /** Attachments are decoded one after the other. */
  readonly attachments: Iterable<MailAttachment>;
}

export interface MailText {
  readonly kind: TextKind;
  readonly content: string;
}

export interface MailAttachment {
  /** This is a name without folders. */
  readonly name: string;
  /** This is shown instead of the name: the subject of a message. */
  readonly title?: string;
  readonly bytes: Uint8Array;
}

export async function writeMessage(message: MailMessage, container: Container): Promise<Converted> {
  for (const { name, title, bytes } of message.attachments)
    await container.add({ path: name, bytes, ...(title && { name: title }) });
  const { subject, from, to, cc, date, note } = message;
  const facts: readonly (readonly [string, string])[] = [
    ['From', from.join(', ')],
    ['To', to.join(', ')],
    ['Cc', cc.join(', ')],
    ['Date', date ? timeIn(date) : ''],
  ];
  const head = facts.flatMap(([name, value]) => (value === '' ? [] : `${name}: ${value}`));
  const blocks = [subject && `# ${subject}`, head.join('\n'), note, bodyOf(message)];
  return {
    text: cleanText(blocks.filter(Boolean).join('\n\n')),
    about: {
      ...(subject && { title: cleanText(subject) }),
      ...(from[0] && { author: cleanText(from[0]) }),
      ...(date && { created_at: date.toISOString() }),
    },
  };
}

/** Returns a time such as `2025-03-03 09:00 UTC`. */
const timeIn = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const ARMOUR = /^\s*-----BEGIN PGP MESSAGE-----/;
const ENCRYPTED = 'The text of this message is encrypted.';

/**
 * Returns the plain text. Some programs write only a remark in it, such as that one needs another program, so the richer
 * form is taken when it has more than twice as many words.
 */
function bodyOf({ subject, plain, rich }: MailMessage): string {
  if (plain.some(({ content }) => ARMOUR.test(content))) return ENCRYPTED;
  const body = markdownOf(plain, subject);
  if (rich.every(({ content }, index) => content === plain[index]?.content)) return body;
  const richBody = markdownOf(rich, subject);
  return 2 * wordsIn(body) < wordsIn(richBody) ? richBody : body;
}

const markdownOf = (texts: readonly MailText[], subject: string): string =>
  texts
    .map(({ kind, content }) => {
      if (kind === 'markdown') return content.trim();
      return kind === 'plain'
        ? plainToMarkdown(content)
        : withoutTitle(htmlToMarkdown(content), subject);
    })
    .filter((one) => one !== '')
    .join('\n\n');

/** The title of the HTML is often the subject again. */
const withoutTitle = (page: string, subject: string): string =>
  subject !== '' && page.startsWith(`# ${subject}\n`)
    ? page.slice(subject.length + 2).trim()
    : page;

const wordsIn = (text: string): number => {
  let words = 0;
  for (const _ of text.matchAll(/[\p{L}\p{N}]+/gu)) words++;
  return words;
};

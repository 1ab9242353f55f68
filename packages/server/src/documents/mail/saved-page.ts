/** Reads pages that browsers and word processors save as one file (MHTML, RFC 2557). */
import type { Converted } from '../convert.ts';
import { htmlToMarkdown } from '../html.ts';
import { cleanText } from '../plain.ts';
import type { MailMessage } from './message.ts';
import { plainToMarkdown } from './plain-body.ts';

/** Writes the first text, which is the page itself (RFC 2387, section 3.2). The others are its frames. */
export function writePage({ subject, date, rich }: MailMessage): Converted {
  const [main] = rich;
  const { kind, content } = main ?? { kind: 'plain', content: '' };
  const page = kind === 'html' ? htmlToMarkdown(content) : plainToMarkdown(content);
  const titled = subject === '' || /^# /m.test(page) ? page : `# ${subject}\n\n${page}`;
  return {
    text: cleanText(titled),
    about: {
      ...(subject && { title: cleanText(subject) }),
      ...(date && { created_at: date.toISOString() }),
    },
  };
}

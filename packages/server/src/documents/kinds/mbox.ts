/** Turns a mailbox file into a list of its messages, each of which becomes a document of its own. */
import { SourceError } from '../../errors.ts';
import type { Convert } from '../convert.ts';
import { subjectOf } from '../mail/headers.ts';
import { messagesIn } from '../mail/mailbox.ts';
import { fileNameOf } from '../mail/names.ts';
import { cleanText } from '../plain.ts';

/** The list names only this many messages. */
const MAX_LISTED = 1000;

export const convert: Convert = async (bytes, container) => {
  const listed: string[] = [];
  let messages = 0;
  for (const message of messagesIn(bytes)) {
    messages++;
    const subject = cleanText(subjectOf(message));
    const number = String(messages).padStart(4, '0');
    const named = subject === '' ? {} : { name: subject };
    await container.add({ path: `${number} ${fileNameOf(subject)}.eml`, bytes: message, ...named });
    if (messages <= MAX_LISTED) listed.push(`- ${subject || '(no subject)'}`);
  }
  if (messages === 0)
    throw new SourceError('skip', 'the file is not a mailbox: it does not begin with a message', {
      hint: 'Export the mailbox again in the form mbox, or save its messages as EML.',
    });
  const rest = messages - listed.length;
  return { text: [...listed, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n') };
};

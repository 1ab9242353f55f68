/** Turns a mailbox file into a list of its messages, each of which becomes a document of its own. */
import { SourceError } from '../../errors.ts';
import type { Convert } from '../convert.ts';
import { type Head, headOf, lineOf } from '../mail/headers.ts';
import { messagesIn } from '../mail/mailbox.ts';
import { listOfNames } from '../markdown-writer.ts';
import { cleanText } from '../plain.ts';

/** The list names only this many messages. */
const MAX_LISTED = 1000;

export const convert: Convert = async (bytes, container) => {
  const listed: string[] = [];
  let messages = 0;
  let deleted = 0;
  for (const message of messagesIn(bytes)) {
    messages++;
    const head = headOf(message);
    // A deleted message is counted, so that the messages after it keep their names.
    if (isDeleted(head)) {
      deleted++;
      continue;
    }
    const subject = cleanText(lineOf(head, 'subject'));
    // The subject is not a part of the path: a path is an id, and ids are not redacted.
    const path = `${String(messages).padStart(4, '0')}.eml`;
    await container.add({ path, bytes: message, ...(subject && { name: subject }) });
    if (listed.length < MAX_LISTED) listed.push(subject || '(no subject)');
  }
  if (messages === 0)
    throw new SourceError('skip', 'the file is not a mailbox: it does not begin with a message', {
      hint: 'Export the mailbox again in the form mbox, or save its messages as EML.',
    });
  return messages === deleted
    ? { reason: 'without text that can be read', detail: 'all messages are marked as deleted' }
    : { text: listOfNames(listed, messages - deleted) };
};

const EXPUNGED = 0x0008;

/** Programs mark deleted messages, and remove them later: Thunderbird in the first header, others in the second. */
function isDeleted({ headers }: Head): boolean {
  const mozilla = Number.parseInt(headers.get('x-mozilla-status') ?? '', 16);
  return (mozilla & EXPUNGED) !== 0 || /D/.test(headers.get('x-status') ?? '');
}

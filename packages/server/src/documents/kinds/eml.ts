/** Turns one message, or one page that is saved in the form of a message, into Markdown. */
import type { Convert } from '../convert.ts';
import { HEAD_BYTES } from '../decide.ts';
import { asciiHeadOf } from '../kinds.ts';
import { headOf } from '../mail/headers.ts';
import { writeMessage } from '../mail/message.ts';
import { parseMessage } from '../mail/parse.ts';
import { isEnvelope, mailFormOf } from '../mail/recognize.ts';
import { writePage } from '../mail/saved-page.ts';
import { decodeText } from '../plain.ts';

export const convert: Convert = async (bytes, container) => {
  const message = withoutEnvelope(bytes);
  const head = message.subarray(0, HEAD_BYTES);
  // The body may be in any charset, and the bytes of some look like control characters.
  if (decodeText(head.subarray(0, headOf(head).end)) === null) return { reason: 'binary' };
  const isPage = /\.mht(?:ml)?$/i.test(container.name) || mailFormOf(asciiHeadOf(head)) === 'page';
  const parsed = parseMessage(message);
  return isPage ? writePage(parsed) : writeMessage(parsed, container);
};

/**
 * Returns the message without what programs write around it: blank lines, the line that begins a message of a mailbox
 * file, and of Apple Mail (emlx) the number of bytes before the message and the properties behind it.
 */
function withoutEnvelope(bytes: Uint8Array): Uint8Array {
  const start = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const blank = /^(?:\xef\xbb\xbf)?\s*/.exec(start)?.[0].length ?? 0;
  const line = /^[^\r\n]*\r?\n/.exec(start.slice(blank))?.[0] ?? '';
  const after = blank + line.length;
  if (isEnvelope(line)) return bytes.subarray(after);
  if (/^\d{1,12}\s*$/.test(line)) return bytes.subarray(after, after + Number(line));
  return bytes.subarray(blank);
}

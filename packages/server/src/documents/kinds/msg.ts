/** Turns a message that Outlook has saved into Markdown, or what is called one by its name. */
import { readCompound } from '../compound/file.ts';
import type { Convert } from '../convert.ts';
import { writeMessage } from '../mail/message.ts';
import { readMessage } from '../outlook/message.ts';
import { decodeText } from '../plain.ts';
import { realForm } from '../real-form.ts';

export const convert: Convert = async (bytes, container) => {
  const form = realForm(bytes);
  if (form === 'compound') return writeMessage(readMessage(readCompound(bytes)), container);
  if (form === 'page') return container.convertAs('eml', bytes);
  // Some programs call definitions of their own messages so.
  const text = decodeText(bytes);
  return text === null ? { reason: 'binary' } : { text, isPlain: true };
};

/** Finds the headers of messages, as Gmail gives them. */
import { decodeWords, MAX_HEADER } from '../../documents/mail/header-values.ts';
import type { MessagePart } from './answer.ts';

type Headers = MessagePart['headers'];

/** Returns the first header of this name, without the encoding of its words. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const found = headers.find((header) => header.name.toLowerCase() === name);
  return found && decodeWords(found.value.slice(0, MAX_HEADER));
}

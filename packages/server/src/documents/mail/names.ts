/** Makes names and lines of what the senders of messages have chosen. Such a text can be long or hostile. */
import { extname } from 'node:path';
import { beginningOf } from '../../util.ts';

export const MAX_NAME = 200;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'text/html': '.html',
  'text/plain': '.txt',
  'text/csv': '.csv',
  'text/markdown': '.md',
  'text/calendar': '.ics',
  'text/vcard': '.vcf',
  'text/rtf': '.rtf',
  'application/rtf': '.rtf',
  'application/msword': '.doc',
  'application/vnd.ms-excel': '.xls',
  'application/vnd.ms-powerpoint': '.ppt',
  'application/json': '.json',
  'application/xml': '.xml',
  'application/ms-tnef': '.dat',
};

export interface NamedPart {
  /** This is the name that the sender gave, or ''. */
  readonly name: string;
  /** This is the media type in lower case, such as `text/plain`. */
  readonly mediaType: string;
}

/** Returns the name without folders. A part without a name is called by its number. */
export function attachmentName({ name, mediaType }: NamedPart, number: number): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const line = oneLine(last, MAX_NAME).replace(/^\.+$/, '');
  const extension = Object.hasOwn(EXTENSIONS, mediaType) ? EXTENSIONS[mediaType] : undefined;
  if (line === '') return `attachment ${number}${extension ?? ''}`;
  return extname(line) === '' && extension !== undefined ? `${line}${extension}` : line;
}

/** Returns a text of a sender as one line of a bounded length. */
export const oneLine = (text: string, most: number): string =>
  beginningOf(
    text
      .slice(0, 10 * most)
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    most,
  );

/**
 * A message inside of another has this name. Its subject is shown, and is not a part of the path: a path is an id, and
 * ids are not redacted.
 */
export const INNER_MESSAGE = 'message.eml';

/** Returns `Ann <ann@example.org>`, or what there is of it. */
export function personOf(name: string, address: string): string {
  if (name === '' || name === address) return address;
  return address === '' ? name : `${name} <${address}>`;
}

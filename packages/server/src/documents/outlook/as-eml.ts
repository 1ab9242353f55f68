/**
 * Writes a message as mail programs send it (RFC 5322, MIME). A message inside of a message of Outlook is not a file of its
 * own, so it becomes one in this way.
 */
import type { MailMessage } from '../mail/message.ts';

/** The parts are in base64, so no line of them is a boundary. */
const BOUNDARY = '=_part';

export function asEml(message: MailMessage): Buffer {
  const { subject, from, to, cc, date, note, plain, rich, attachments } = message;
  const head = [
    `Subject: ${encoded(subject)}`,
    ...people('From', from),
    ...people('To', to),
    ...people('Cc', cc),
    ...(date ? [`Date: ${date.toUTCString()}`] : []),
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
    '',
    '',
  ];
  const texts = [...(note ? [part('plain', note)] : []), ...plain.map(textPart)];
  const bodies = texts.length > 0 ? texts : rich.map(textPart);
  const files = filePartsOf(attachments);
  const parts = [...bodies, ...files].flatMap((one) => [`--${BOUNDARY}\r\n`, one, '\r\n']);
  return Buffer.concat(
    [head.join('\r\n'), ...parts, `--${BOUNDARY}--\r\n`].map((one) => Buffer.from(one)),
  );
}

/** Files after so many bytes are left out. They would exceed the limit of all documents in a file anyway. */
const MAX_BYTES = 200 * 1024 * 1024;

function filePartsOf(attachments: MailMessage['attachments']): string[] {
  const parts: string[] = [];
  let size = 0;
  for (const { name, bytes } of attachments) {
    size += bytes.length;
    if (size > MAX_BYTES) break;
    const disposition = `Content-Disposition: attachment; ${fileName(name)}`;
    parts.push(wrapped('application/octet-stream', bytes, disposition));
  }
  return parts;
}

const textPart = ({ kind, content }: MailMessage['plain'][number]): string => part(kind, content);

const part = (kind: 'plain' | 'html', content: string): string =>
  wrapped(`text/${kind}; charset=utf-8`, Buffer.from(content));

function wrapped(type: string, bytes: Uint8Array, more = ''): string {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const head = [`Content-Type: ${type}`, more, 'Content-Transfer-Encoding: base64'];
  return `${head.filter((line) => line !== '').join('\r\n')}\r\n\r\n${content}`;
}

const people = (name: string, all: readonly string[]): string[] =>
  all.length === 0 ? [] : [`${name}: ${all.map(person).join(', ')}`];

/** A name is encoded, so that nothing in it looks like another address. */
function person(text: string): string {
  const [, name = '', address = ''] = /^(.*?)\s?<([^<>]*)>$/.exec(text) ?? [];
  if (address === '') return /^[\w.+-]+@[\w.-]+$/.test(text) ? text : encoded(text);
  return `${encoded(name)} <${address.replaceAll(/[^\x21-\x7e]/g, '')}>`;
}

const encoded = (text: string): string =>
  text === '' ? '' : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

const fileName = (name: string): string =>
  `filename*=utf-8''${encodeURIComponent(name.toWellFormed()).replaceAll("'", '%27')}`;

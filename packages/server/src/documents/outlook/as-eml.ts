/**
 * Writes a message as mail programs send it (RFC 5322, MIME). A message inside of a message of Outlook is not a file of its
 * own, so it becomes one in this way.
 */
import type { MailMessage, MailText } from '../mail/message.ts';

export function asEml(message: MailMessage): Buffer {
  const { subject, from, to, cc, date, note, plain, rich, attachments } = message;
  const head = [
    `Subject: ${encoded(subject)}`,
    ...people('From', from),
    ...people('To', to),
    ...people('Cc', cc),
    ...(date ? [`Date: ${date.toUTCString()}`] : []),
    'MIME-Version: 1.0',
    '',
  ];
  const notes: MailText[] = note ? [{ kind: 'plain', content: note }] : [];
  const forms = [...plain, ...rich].map(textPart);
  // A message of Outlook has at most one text in each form.
  const body = forms.length > 1 ? [multipart('alternative', forms).join('')] : forms;
  const parts = [...notes.map(textPart), ...body, ...filePartsOf(attachments)];
  return Buffer.concat(
    [head.join('\r\n'), ...multipart('mixed', parts)].map((one) => Buffer.from(one)),
  );
}

/** The parts are in base64, or have another boundary, so no line of them is this boundary. */
function multipart(kind: 'mixed' | 'alternative', parts: readonly string[]): string[] {
  const boundary = `=_${kind}`;
  return [
    `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n`,
    ...parts.flatMap((one) => [`--${boundary}\r\n`, one, '\r\n']),
    `--${boundary}--\r\n`,
  ];
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

const textPart = ({ kind, content }: MailText): string =>
  wrapped(`${TEXT_TYPES[kind]}; charset=utf-8`, Buffer.from(content));

const TEXT_TYPES = {
  plain: 'text/plain',
  html: 'text/html',
  markdown: 'text/plain; markup=markdown',
} as const;

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

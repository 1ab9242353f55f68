/** Reads messages as mail programs send them (RFC 5322, MIME). */

import { cleanText } from '../plain.ts';
import { decodeMail, decodeMailHtml, withoutTransferEncoding } from './decode.ts';
import { addressesIn, decodeWords, MAX_HEADER } from './header-values.ts';
import { type Head, lineOf } from './headers.ts';
import type { MailAttachment, MailMessage, MailText } from './message.ts';
import { type Mime, readMime } from './mime.ts';
import { INNER_MESSAGE } from './names.ts';
import { type FilePart, type MailParts, partsOf, type TextPart } from './structure.ts';

export function parseMessage(bytes: Uint8Array): MailMessage {
  const mime = readMime(bytes);
  const { head } = mime;
  const plainest = partsOf(mime.root, 'plainest');
  const richest = partsOf(mime.root, 'richest');
  const isReadable = plainest.protection !== 'encrypted';
  return {
    subject: lineOf(head, 'subject'),
    from: peopleIn(head, 'from'),
    to: peopleIn(head, 'to'),
    cc: peopleIn(head, 'cc'),
    date: dateIn(head),
    plain: isReadable ? textsOf(plainest, mime) : [],
    rich: isReadable ? textsOf(richest, mime) : [],
    note: noteOf(plainest, mime),
    attachments: plainest.files.values().map((file) => fileOf(file, mime)),
  };
}

const peopleIn = ({ headers }: Head, name: string): string[] =>
  addressesIn(headers.get(name)?.slice(0, MAX_HEADER)).map(decodeWords);

function dateIn({ headers }: Head): Date | null {
  const date = new Date((headers.get('date') ?? '').slice(0, 100));
  return Number.isNaN(date.getTime()) ? null : date;
}

const textsOf = ({ texts }: MailParts, mime: Mime): MailText[] =>
  texts.map((text) => {
    const decode = text.kind === 'html' ? decodeMailHtml : decodeMail;
    return { kind: text.kind, content: decode(bytesOf(text, mime), text.charset) };
  });

const bytesOf = ({ part, encoding }: TextPart | FilePart, { bodies }: Mime): Buffer =>
  withoutTransferEncoding(bodies.get(part) ?? Buffer.alloc(0), encoding);

function noteOf({ protection, texts }: MailParts, { root }: Mime): string {
  if (protection === 'encrypted') return 'The text of this message is encrypted.';
  const isInSignature =
    protection === 'signed' && texts.length === 0 && root.childNodes?.length === 0;
  return isInSignature ? 'The text of this message is inside of its signature (S/MIME).' : '';
}

function fileOf(file: FilePart, mime: Mime): MailAttachment {
  const { name, message } = file;
  const bytes = bytesOf(file, mime);
  return message
    ? { name: INNER_MESSAGE, title: cleanText(name.replace(/\.eml$/i, '')), bytes }
    : { name, bytes };
}

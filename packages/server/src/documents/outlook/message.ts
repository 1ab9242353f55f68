/** Reads messages that Outlook has saved as files (MS-OXMSG). */
import type { CompoundStorage } from '../compound/file.ts';
import { decodeHtml } from '../html.ts';
import { MAX_ADDRESSES } from '../mail/header-values.ts';
import type { MailAttachment, MailMessage, MailText } from '../mail/message.ts';
import { attachmentName, INNER_MESSAGE, MAX_NAME, oneLine, personOf } from '../mail/names.ts';
import { encodingOfPage } from '../rtf/characters.ts';
import { readRtf } from '../rtf/read.ts';
import { asEml } from './as-eml.ts';
import { unpackRtf } from './compressed-rtf.ts';
import {
  binaryOf,
  fixedProperties,
  objectOf,
  PROPERTY,
  type PropertyNumber,
  textOf,
} from './properties.ts';

const FILE_HEAD = 32;
const INNER_HEAD = 24;
const PART_HEAD = 8;
const USUAL_PAGE = 1252;
const MAX_FILES = 255;
const MAX_ADDRESS = 320;
/** Messages within more messages are written without their content. */
const DEEPEST = 4;

/** `depth` is the number of messages in which this one is. */
export function readMessage(storage: CompoundStorage, depth = 0): MailMessage {
  const fixed = fixedProperties(storage, depth === 0 ? FILE_HEAD : INNER_HEAD);
  const ofTexts = fixed.number(PROPERTY.messageCodePage);
  const ofHtml = fixed.number(PROPERTY.internetCodePage);
  // Programs may write only one of the two.
  const page = ofTexts ?? ofHtml ?? USUAL_PAGE;
  const textIn = (property: PropertyNumber) => textOf(storage, property, page);
  const kind = textIn(PROPERTY.messageClass).toLowerCase();
  const people = recipientsOf(storage, page);
  const isEncrypted = kind.startsWith('ipm.note.smime') && !kind.endsWith('.multipartsigned');
  return {
    subject: oneLine(textIn(PROPERTY.subject), MAX_NAME),
    from: senderOf(textIn),
    to: people.filter(({ type }) => type === TO).map(({ person }) => person),
    cc: people.filter(({ type }) => type === CC).map(({ person }) => person),
    date: fixed.time(PROPERTY.submitted) ?? fixed.time(PROPERTY.delivered),
    ...bodiesOf(storage, { page, htmlPage: ofHtml ?? page }),
    note: isEncrypted ? 'The text of this message is encrypted.' : '',
    attachments: depth >= DEEPEST ? [] : filesOf(storage, { page, depth }),
  };
}

const TO = 1;
const CC = 2;

type TextReader = (property: PropertyNumber) => string;

/** Somebody may have sent a message for somebody else, who is its author. */
function senderOf(textIn: TextReader): string[] {
  const name = textIn(PROPERTY.representing) || textIn(PROPERTY.sender);
  const address =
    textIn(PROPERTY.representingMailAddress) ||
    textIn(PROPERTY.senderMailAddress) ||
    mailAddress(textIn(PROPERTY.representingAddress)) ||
    mailAddress(textIn(PROPERTY.senderAddress));
  const person = personOf(oneLine(name, MAX_NAME), oneLine(address, MAX_ADDRESS));
  return person === '' ? [] : [person];
}

/** Exchange has addresses of its own, which say nothing to a reader. */
const mailAddress = (address: string): string => (address.includes('@') ? address : '');

interface Recipient {
  readonly type: number;
  readonly person: string;
}

function recipientsOf({ storages }: CompoundStorage, page: number): Recipient[] {
  return [...storages]
    .filter(([name]) => name.startsWith('__RECIP_VERSION1.0_#'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX_ADDRESSES)
    .map(([, storage]) => {
      const textIn = (property: PropertyNumber) => textOf(storage, property, page);
      const address = textIn(PROPERTY.mailAddress) || mailAddress(textIn(PROPERTY.address));
      return {
        type: fixedProperties(storage, PART_HEAD).number(PROPERTY.recipientType) ?? TO,
        person: personOf(oneLine(textIn(PROPERTY.name), MAX_NAME), oneLine(address, MAX_ADDRESS)),
      };
    })
    .filter(({ person }) => person !== '');
}

interface BodyPages {
  readonly page: number;
  readonly htmlPage: number;
}

function bodiesOf(
  storage: CompoundStorage,
  { page, htmlPage }: BodyPages,
): Pick<MailMessage, 'plain' | 'rich'> {
  const plain = textOf(storage, PROPERTY.body, page);
  const binary = binaryOf(storage, PROPERTY.html);
  const html = binary
    ? (decodeHtml(binary, encodingOfPage(htmlPage)) ?? '')
    : textOf(storage, PROPERTY.html, page);
  const rich: MailText[] = html.trim() === '' ? [] : [{ kind: 'html', content: html }];
  if (plain.trim() !== '') return { plain: [{ kind: 'plain', content: plain }], rich };
  if (rich.length > 0) return { plain: [], rich };
  const rtf = unpackRtf(binaryOf(storage, PROPERTY.rtf) ?? Buffer.alloc(0));
  return { plain: rtf ? [{ kind: 'markdown', content: readRtf(rtf).text }] : [], rich: [] };
}

interface Parts {
  readonly page: number;
  readonly depth: number;
}

function* filesOf({ storages }: CompoundStorage, parts: Parts): Generator<MailAttachment> {
  const files = [...storages]
    .filter(([name]) => name.startsWith('__ATTACH_VERSION1.0_#'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX_FILES);
  for (const [index, [, storage]] of files.entries()) {
    const file = fileOf(storage, index + 1, parts);
    if (file) yield file;
  }
}

/** Returns null for a picture of the text, and for what is stored elsewhere. */
function fileOf(
  storage: CompoundStorage,
  number: number,
  { page, depth }: Parts,
): MailAttachment | null {
  const textIn = (property: PropertyNumber) => textOf(storage, property, page);
  const inner = objectOf(storage, PROPERTY.data);
  if (inner?.streams.has('__PROPERTIES_VERSION1.0')) {
    const message = readMessage(inner, depth + 1);
    const title = message.subject || oneLine(textIn(PROPERTY.name), MAX_NAME);
    return { name: INNER_MESSAGE, title, bytes: asEml(message) };
  }
  const bytes = binaryOf(storage, PROPERTY.data);
  const mediaType = textIn(PROPERTY.mediaType).toLowerCase();
  const isPicture = mediaType.startsWith('image/') && textIn(PROPERTY.contentId) !== '';
  if (!bytes || isPicture) return null;
  // Outlook stores a signed message as a file of the message that shows it.
  if (mediaType === 'multipart/signed') return { name: 'signed message.eml', bytes };
  const name = textIn(PROPERTY.fileName) || textIn(PROPERTY.shortFileName) || textIn(PROPERTY.name);
  return { name: attachmentName({ name, mediaType }, number), bytes };
}

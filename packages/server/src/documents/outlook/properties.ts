/** Reads the properties of messages, recipients and files of Outlook (MS-OXMSG, section 2.1 and 2.4). */
import type { CompoundStorage } from '../compound/file.ts';
import { dateOfFileTime } from '../compound/file-time.ts';
import { decodePage } from '../rtf/characters.ts';

/** These are numbers of properties (MS-OXPROPS). */
export const PROPERTY = {
  messageClass: 0x001a,
  subject: 0x0037,
  submitted: 0x0039,
  representing: 0x0042,
  representingAddress: 0x0065,
  recipientType: 0x0c15,
  sender: 0x0c1a,
  senderAddress: 0x0c1f,
  delivered: 0x0e06,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  name: 0x3001,
  address: 0x3003,
  data: 0x3701,
  shortFileName: 0x3704,
  fileName: 0x3707,
  mediaType: 0x370e,
  contentId: 0x3712,
  mailAddress: 0x39fe,
  /** This is the code page of the HTML. */
  internetCodePage: 0x3fde,
  /** This is the code page of the other texts that are not in Unicode. */
  messageCodePage: 0x3ffd,
  senderMailAddress: 0x5d01,
  representingMailAddress: 0x5d02,
} as const;
export type PropertyNumber = (typeof PROPERTY)[keyof typeof PROPERTY];

const UNICODE = '001F';
const BYTES = '001E';
const BINARY = '0102';
const OBJECT = '000D';

const nameOf = (property: PropertyNumber, type: string): string =>
  `__SUBSTG1.0_${property.toString(16).padStart(4, '0')}${type}`.toUpperCase();

/** Returns the text of a property, or ''. Older messages have texts in a code page. */
export function textOf(
  { streams }: CompoundStorage,
  property: PropertyNumber,
  page: number,
): string {
  const unicode = streams.get(nameOf(property, UNICODE));
  if (unicode) return unicode.read().toString('utf16le').replace(/\0+$/, '');
  const bytes = streams.get(nameOf(property, BYTES));
  return bytes ? decodePage(bytes.read().toString('latin1'), page).replace(/\0+$/, '') : '';
}

export const binaryOf = ({ streams }: CompoundStorage, property: PropertyNumber): Buffer | null =>
  streams.get(nameOf(property, BINARY))?.read() ?? null;

/** Returns the message that is the content of a property, or undefined. */
export const objectOf = (
  { storages }: CompoundStorage,
  property: PropertyNumber,
): CompoundStorage | undefined => storages.get(nameOf(property, OBJECT));

export interface FixedProperties {
  /** Returns a whole number, or null. */
  number(property: PropertyNumber): number | null;
  /** Returns a time, or null. */
  time(property: PropertyNumber): Date | null;
}

const ENTRY_BYTES = 16;
const MAX_ENTRIES = 10_000;
const LONG = 0x0003;
const TIME = 0x0040;

/** The entries stand behind a head whose length depends on what has the properties. */
export function fixedProperties({ streams }: CompoundStorage, headBytes: number): FixedProperties {
  const bytes = streams.get('__PROPERTIES_VERSION1.0')?.read() ?? Buffer.alloc(0);
  const values = new Map<number, Buffer>();
  for (let i = 0; i < MAX_ENTRIES; i++) {
    const at = headBytes + i * ENTRY_BYTES;
    if (at + ENTRY_BYTES > bytes.length) break;
    values.set(bytes.readUInt32LE(at), bytes.subarray(at + 8, at + ENTRY_BYTES));
  }
  const storedAt = (property: PropertyNumber, type: number) =>
    values.get(property * 0x10000 + type);
  return {
    number: (property) => storedAt(property, LONG)?.readInt32LE(0) ?? null,
    time(property) {
      const value = storedAt(property, TIME);
      return value ? dateOfFileTime(value.readBigUInt64LE(0)) : null;
    },
  };
}

/** Reads what an old Office document says about itself (MS-OLEPS: the stream SummaryInformation). */
import type { About } from '../convert.ts';
import { oneLine } from '../mail/names.ts';
import { cleanText } from '../plain.ts';
import { decodePage } from '../rtf/characters.ts';
import type { CompoundStorage } from './file.ts';
import { dateOfFileTime } from './file-time.ts';

const STREAM = '\u0005SUMMARYINFORMATION';
const PROPERTY = { codePage: 1, title: 2, author: 4, created: 12, modified: 13 } as const;
const TYPE = { short: 2, string: 30, time: 64 } as const;
const MAX_LINE = 500;
const MAX_PROPERTIES = 200;
const UTF_8 = 65_001;

export function aboutOf({ streams }: CompoundStorage): About {
  const properties = propertiesIn(streams.get(STREAM)?.read() ?? Buffer.alloc(0));
  const page = properties.get(PROPERTY.codePage)?.readUInt16LE(4) ?? UTF_8;
  const title = textOf(properties.get(PROPERTY.title), page);
  const author = textOf(properties.get(PROPERTY.author), page);
  const created = timeOf(properties.get(PROPERTY.created));
  const modified = timeOf(properties.get(PROPERTY.modified));
  return {
    ...(title && { title }),
    ...(author && { author }),
    ...(created && { created_at: created }),
    ...(modified && { modified_at: modified }),
  };
}

const NO_PROPERTIES: ReadonlyMap<number, Buffer> = new Map();
/** This is the offset of the offset of the first set of properties. */
const FIRST_SET = 44;

/** Returns the bytes of each property, from its type on, at least eight. */
function propertiesIn(stream: Buffer): ReadonlyMap<number, Buffer> {
  if (stream.length < FIRST_SET + 4) return NO_PROPERTIES;
  const set = stream.subarray(stream.readUInt32LE(FIRST_SET));
  if (set.length < 8) return NO_PROPERTIES;
  const count = Math.min(set.readUInt32LE(4), MAX_PROPERTIES, Math.floor((set.length - 8) / 8));
  const found = new Map<number, Buffer>();
  for (let i = 0; i < count; i++) {
    const value = set.subarray(set.readUInt32LE(12 + 8 * i));
    if (value.length >= 8) found.set(set.readUInt32LE(8 + 8 * i), value);
  }
  return found;
}

function textOf(value: Buffer | undefined, page: number): string {
  if (value?.readUInt16LE(0) !== TYPE.string) return '';
  const bytes = value.subarray(8, 8 + Math.min(value.readUInt32LE(4), MAX_LINE));
  const end = bytes.indexOf(0);
  const text = decodePage(bytes.toString('latin1', 0, end === -1 ? bytes.length : end), page);
  return cleanText(oneLine(text, MAX_LINE));
}

/** Returns null for a time that a program has not known. */
function timeOf(value: Buffer | undefined): string | null {
  if (!value || value.length < 12 || value.readUInt16LE(0) !== TYPE.time) return null;
  return dateOfFileTime(value.readBigUInt64LE(4))?.toISOString() ?? null;
}

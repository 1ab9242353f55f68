/** Unpacks the RTF in messages of Outlook (MS-OXRTFCP). */

/** Every dictionary begins with this text, which is common in RTF (section 2.1.2.1). */
const BEGINNING =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript ' +
  '\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par ' +
  '\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const DICTIONARY_BYTES = 4096;
const HEADER_BYTES = 16;
const COMPRESSED = 0x75465a4c;
const NOT_COMPRESSED = 0x414c454d;
/** A reference has two bytes and stands for at most this many. */
const LONGEST = 17;

/** Returns null for bytes that are not RTF in this form. */
export function unpackRtf(bytes: Buffer): Buffer | null {
  if (bytes.length < HEADER_BYTES) return null;
  const type = bytes.readUInt32LE(8);
  const content = bytes.subarray(HEADER_BYTES);
  if (type === NOT_COMPRESSED) return content;
  return type === COMPRESSED ? unpacked(content, bytes.readUInt32LE(4)) : null;
}

function unpacked(content: Buffer, declared: number): Buffer {
  const dictionary = Buffer.alloc(DICTIONARY_BYTES);
  let write = dictionary.write(BEGINNING, 'latin1');
  const result = Buffer.alloc(Math.min(declared, content.length * LONGEST));
  let length = 0;
  const put = (byte: number): void => {
    if (length < result.length) result[length++] = byte;
    dictionary[write] = byte;
    write = (write + 1) % DICTIONARY_BYTES;
  };
  let at = 0;
  while (at < content.length && length < result.length) {
    const flags = content[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < content.length; bit++) {
      if ((flags & (1 << bit)) === 0) {
        put(content[at++] ?? 0);
        continue;
      }
      const reference = ((content[at] ?? 0) << 8) | (content[at + 1] ?? 0);
      at += 2;
      const offset = reference >>> 4;
      // A reference to the place that is written next is the end.
      if (offset === write) return result.subarray(0, length);
      for (let i = 0; i < (reference & 0xf) + 2; i++)
        put(dictionary[(offset + i) % DICTIONARY_BYTES] ?? 0);
    }
  }
  return result.subarray(0, length);
}

/** Reads the lists of properties of paragraphs and characters of a binary Word document (MS-DOC, section 2.2.5). */

export const SPRM = {
  style: 0x4600,
  level: 0x260a,
  list: 0x460b,
  isInTable: 0x2416,
  endsRow: 0x2417,
  outline: 0x2640,
  isHidden: 0x083c,
  isDeleted: 0x0800,
  /** The operand is an offset in the stream `Data`, where the properties stand (MS-DOC, section 2.6.2). */
  stored: 0x6646,
  /** This is the number of the same property in Word 97. */
  storedOfWord97: 0x6645,
} as const;

export type PropertyOperands = ReadonlyMap<number, number>;

/** Returns the operands of one, two or four bytes by the numbers of their properties. */
export function propertiesIn(bytes: Buffer): PropertyOperands {
  const found = new Map<number, number>();
  for (let at = 0; at + 3 <= bytes.length; ) {
    const sprm = bytes.readUInt16LE(at);
    const size = operandBytes(sprm, bytes, at + 2);
    const isWhole = at + 2 + size <= bytes.length;
    if (isWhole && (size === 1 || size === 2 || size === 4))
      found.set(sprm, bytes.readUIntLE(at + 2, size));
    at += 2 + size;
  }
  return found;
}

/** The highest three bits of a property say how long its operand is. */
const OPERANDS = [1, 1, 2, 4, 2, 2, null, 3] as const;
const TABLE_DEFINITION = 0xd608;

function operandBytes(sprm: number, bytes: Buffer, at: number): number {
  const size = OPERANDS[sprm >>> 13] ?? null;
  if (size !== null) return size;
  if (sprm === TABLE_DEFINITION) return at + 2 <= bytes.length ? bytes.readUInt16LE(at) + 1 : 1;
  return 1 + (bytes[at] ?? 0);
}

/**
 * Finds the text of a binary Word document (MS-DOC, section 2.4.1). The text lies in pieces, in an order that the piece
 * table gives. Positions of characters count through the pieces; offsets of bytes lead into the main stream.
 */
import { decodePage } from '../rtf/characters.ts';
import { type DocHeader, PAIR } from './header.ts';
import { countUpTo } from './spans.ts';

export interface TextPiece {
  /** This is the position of the first character. */
  readonly start: number;
  readonly text: string;
  /** This is the offset of the first character in the main stream. */
  readonly offset: number;
  readonly bytesPerCharacter: 1 | 2;
}

interface PieceEntry {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly bytesPerCharacter: 1 | 2;
}

const COMPRESSED = 0x40000000;
const MARK_OF_TABLE = 2;
const MARK_OF_PROPERTIES = 1;
const PIECE_BYTES = 8;

export interface DocText {
  /** Yields the text between two positions. */
  between(start: number, end: number): Generator<TextPiece>;
}

export function textOf(header: DocHeader): DocText {
  const { main } = header;
  const pieces = piecesIn(header.part(PAIR.pieces));
  return {
    *between(start, end) {
      for (let i = Math.max(0, countUpTo(pieces, start) - 1); i < pieces.length; i++) {
        const piece = pieces[i];
        if (!piece || piece.start >= end) break;
        const from = Math.max(start, piece.start);
        const to = Math.min(end, piece.end);
        if (from >= to) continue;
        const { bytesPerCharacter } = piece;
        const offset = piece.offset + (from - piece.start) * bytesPerCharacter;
        const bytes = main.subarray(offset, offset + (to - from) * bytesPerCharacter);
        const text =
          bytesPerCharacter === 1
            ? decodePage(bytes.toString('latin1'), 1252)
            : bytes.toString('utf16le');
        yield { start: from, text, offset, bytesPerCharacter };
      }
    },
  };
}

function piecesIn(table: Buffer): PieceEntry[] {
  const plc = pieceTableIn(table);
  const count = Math.floor((plc.length - 4) / (4 + PIECE_BYTES));
  const pieces: PieceEntry[] = [];
  let last = 0;
  for (let i = 0; i < count; i++) {
    const start = plc.readUInt32LE(4 * i);
    const end = plc.readUInt32LE(4 * i + 4);
    const place = plc.readUInt32LE(4 * (count + 1) + PIECE_BYTES * i + 2);
    // Pieces that overlap could make a small file endless.
    if (start < last || end <= start) continue;
    last = end;
    const isCompressed = (place & COMPRESSED) !== 0;
    const offset = place & (COMPRESSED - 1);
    pieces.push({
      start,
      end,
      offset: isCompressed ? offset >>> 1 : offset,
      bytesPerCharacter: isCompressed ? 1 : 2,
    });
  }
  return pieces;
}

/** The piece table stands behind properties that it may refer to. */
function pieceTableIn(clx: Buffer): Buffer {
  for (let at = 0; at + 5 <= clx.length; ) {
    if (clx[at] === MARK_OF_TABLE) return clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
    if (clx[at] !== MARK_OF_PROPERTIES) break;
    at += 3 + clx.readUInt16LE(at + 1);
  }
  return Buffer.alloc(4);
}

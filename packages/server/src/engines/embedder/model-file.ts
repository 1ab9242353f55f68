/**
 * The model file is little endian:
 *
 *   8 bytes  SEMB0001
 *   u32      V, words in the vocabulary
 *   u32      H, rows shared by all other words
 *   u32      D, dimensions
 *   u32      bytes of the vocabulary
 *   …        the vocabulary: one stem a line, UTF-8, padded with line feeds to a multiple of 4
 *   f32      scale of each of the V + H rows
 *   i8       V + H rows of D values
 *
 * A loaded model consists of views of shared memory only, so posting it to another thread does not copy it.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { packageFile } from '../../installation.ts';
import { createVocabulary, sharedBytes, type Vocabulary } from './vocabulary.ts';

export interface SharedModel {
  readonly dimensions: number;
  readonly vocabulary: Vocabulary;
  /**
   * This is the number of rows for words outside the vocabulary. They come after the rows of the vocabulary; a hash
   * selects them.
   */
  readonly hashRows: number;
  readonly scales: Float32Array;
  readonly rows: Int8Array;
  /** These are the Euclidean lengths of the rows as they are stored, that is, before they are scaled. */
  readonly lengths: Float32Array;
}

const MAGIC = 'SEMB0001';
const HEADER_BYTES = 24;

const shipped = packageFile('models/static-256-v1.bin');

let loaded: SharedModel | undefined;

/** Returns the shipped model. The file is read once per process; the model stays in memory. */
export function loadModel(): SharedModel {
  loaded ??= parseModel(readShared(shipped), String(shipped));
  return loaded;
}

/** Reads a file into shared memory, of which a model's tables are views, so that no second copy of them exists. */
function readShared(file: URL): Buffer<SharedArrayBuffer> {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.from(sharedBytes(fstatSync(descriptor).size));
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(descriptor, bytes, at, bytes.length - at, at);
      if (read === 0) throw new Error(`${file} became shorter while it was read`);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** The tables of the model are views of the bytes, which must begin at a multiple of 4 of their memory. */
export function parseModel(bytes: Buffer<SharedArrayBuffer>, name: string): SharedModel {
  const broken = (what: string) => new Error(`the embedding model ${name} is broken: ${what}`);
  if (endianness() !== 'LE') throw new Error('the embedding model needs a little-endian processor');
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 8) !== MAGIC)
    throw broken(`it does not begin with ${MAGIC}`);
  const [size, hashRows, dimensions, vocabularyBytes] = [8, 12, 16, 20].map((offset) =>
    bytes.readUInt32LE(offset),
  ) as [number, number, number, number];
  if (hashRows === 0 || dimensions === 0) throw broken('it has no hashed rows or no dimensions');
  const rowCount = size + hashRows;
  const expected = HEADER_BYTES + vocabularyBytes + rowCount * (4 + dimensions);
  if (bytes.length !== expected)
    throw broken(`it has ${bytes.length} bytes, its header says ${expected}`);

  const scalesAt = HEADER_BYTES + vocabularyBytes;
  const lines = bytes.toString('utf8', HEADER_BYTES, scalesAt).trimEnd().split('\n');
  if (lines.length !== size)
    throw broken(`its vocabulary has ${lines.length} lines, its header says ${size}`);
  const at = bytes.byteOffset + scalesAt;
  const scales = new Float32Array(bytes.buffer, at, rowCount);
  const rows = new Int8Array(bytes.buffer, at + rowCount * 4, rowCount * dimensions);
  const lengths = lengthsOf(rows, dimensions);
  return { dimensions, vocabulary: createVocabulary(lines), hashRows, scales, rows, lengths };
}

function lengthsOf(rows: Int8Array, dimensions: number): Float32Array {
  const lengths = new Float32Array(sharedBytes((rows.length / dimensions) * 4));
  for (let row = 0; row < lengths.length; row++) {
    let square = 0;
    for (let i = row * dimensions; i < (row + 1) * dimensions; i++) square += rows[i]! * rows[i]!;
    lengths[row] = Math.sqrt(square);
  }
  return lengths;
}

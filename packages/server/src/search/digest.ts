/** A digest has a chunk's words and vector in the form that scores are computed from. */

import { termNumbers, terms } from '../model/terms.ts';
import { hasTitle, indexTerms, titleOf } from '../model/title.ts';
import type { Vector } from '../model/vector.ts';
import { must } from '../util.ts';
import type { ChunkBody, ChunkHead } from './store.ts';

export interface Terms {
  /** The terms are `termNumbers`, in order; those of the title come first. */
  readonly terms: Uint32Array;
  /** The length of the title is in terms. */
  readonly titleLength: number;
}

export interface Digest extends Terms {
  /** This tells whether the name is a part of the title. */
  readonly isTitled: boolean;
  readonly vector: Vector;
}

type TitleFields = Pick<ChunkHead, 'name' | 'heading'>;

export function digestOf(fields: TitleFields, body: ChunkBody, room = new Room(0)): Digest {
  const { name, heading } = fields;
  const isTitled = body.is_titled ?? hasTitle({ name, text: must(body.text) });
  const titleTerms = terms(titleOf(fields, isTitled));
  return {
    isTitled,
    titleLength: titleTerms.length,
    ...placed(body.terms ?? made(), body, room),
  };

  function made(): Uint8Array {
    return bytesIn(termNumbers(indexTerms({ name, heading, text: must(body.text) }, isTitled)));
  }
}

/** Copies a digest, which may be in another room, into this room. */
export const inRoom = ({ terms, vector, ...title }: Digest, room: Room): Digest => ({
  ...title,
  ...placed(bytesIn(terms), { scale: vector.scale, vector: bytesIn(vector.values) }, room),
});

const bytesIn = ({ buffer, byteOffset, byteLength }: Uint32Array | Int8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Copies the values byte by byte, because the bytes from a database may begin anywhere. */
function placed(
  terms: Uint8Array,
  { scale, vector }: Pick<ChunkBody, 'scale' | 'vector'>,
  room: Room,
): Pick<Digest, 'terms' | 'vector'> {
  const { length } = terms;
  const { buffer, at } = room.take(length + vector.length);
  const bytes = new Uint8Array(buffer, at, length + vector.length);
  bytes.set(terms);
  bytes.set(vector, length);
  const values = new Int8Array(buffer, at + length, vector.length);
  return {
    terms: new Uint32Array(buffer, at, length / Uint32Array.BYTES_PER_ELEMENT),
    vector: { scale, values },
  };
}

/** A room is the memory of many small arrays: a buffer for each would take more memory than its content. */
export class Room {
  readonly #step: number;
  #buffer = new ArrayBuffer(0);
  #used = 0;

  /** The room grows by this many bytes. */
  constructor(step: number) {
    this.#step = step;
  }

  take(bytes: number): { buffer: ArrayBuffer; at: number } {
    if (this.#used + bytes > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(Math.max(this.#step, bytes));
      this.#used = 0;
    }
    const at = this.#used;
    // The next array begins at a multiple of four, because numbers of four bytes may begin only there.
    this.#used += Math.ceil(bytes / 4) * 4;
    return { buffer: this.#buffer, at };
  }
}

/** A chunk's words and vector in the form that scores are made of. */
import type { Vector } from '../model/vector.ts';
import { Vocabulary } from '../model/vocabulary.ts';
import type { ChunkBody, ChunkHead } from './store.ts';

export interface Terms {
  /** Numbers of the terms, in order; the title comes first. */
  readonly terms: Uint32Array;
  /** In terms. */
  readonly titleLength: number;
  readonly vocabulary: Pick<Vocabulary, 'get' | 'size'>;
}

export interface Digest extends Terms {
  readonly vector: Vector;
}

type Title = Pick<ChunkHead, 'name' | 'heading'>;

/** The title that a chunk is indexed with. */
export const titleOf = ({ name, heading }: Title): string => `${name}\n${heading ?? ''}`;

/** Adds the terms that the vocabulary does not have. */
export function digestOf(
  title: Title,
  { text, scale, vector }: ChunkBody,
  vocabulary = new Vocabulary(),
  room = new Room(0),
): Digest {
  const numbers: number[] = [];
  vocabulary.number(titleOf(title), numbers);
  const titleLength = numbers.length;
  vocabulary.number(text, numbers);
  const values = new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  return inRoom({ terms: numbers, titleLength, vocabulary, vector: { scale, values } }, room);
}

/** Also of a digest that is in another room. */
export function inRoom(
  { terms, vector, ...rest }: Omit<Digest, 'terms'> & { readonly terms: ArrayLike<number> },
  room: Room,
): Digest {
  const size = terms.length * Uint32Array.BYTES_PER_ELEMENT;
  const { buffer, at } = room.take(size + vector.values.length);
  const numbers = new Uint32Array(buffer, at, terms.length);
  numbers.set(terms);
  const values = new Int8Array(buffer, at + size, vector.values.length);
  values.set(vector.values);
  return { ...rest, terms: numbers, vector: { scale: vector.scale, values } };
}

/** Memory of many small arrays: a buffer for each would take more than what is in it. */
export class Room {
  readonly #step: number;
  #buffer = new ArrayBuffer(0);
  #used = 0;

  /** It grows by so many bytes. */
  constructor(step: number) {
    this.#step = step;
  }

  take(bytes: number): { buffer: ArrayBuffer; at: number } {
    if (this.#used + bytes > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(Math.max(this.#step, bytes));
      this.#used = 0;
    }
    const at = this.#used;
    // Where numbers of four bytes may begin.
    this.#used += Math.ceil(bytes / 4) * 4;
    return { buffer: this.#buffer, at };
  }
}

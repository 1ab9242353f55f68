/**
 * A chunk as the ranking sees it: its terms as numbers of a vocabulary, and its vector. Making one of the
 * text is most of the work of a search, so the last ones are kept.
 *
 * A digest is made of nothing but name, heading, text and vector. The database is asked for the hash of the
 * text, for heading and name in every search, and a digest of others is not used. Who may see a chunk is never kept.
 */
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/schema.ts';
import type { Vector } from '../model/vector.ts';
import { Vocabulary } from '../model/vocabulary.ts';
import * as store from './store.ts';

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

export interface Digests {
  /** In the order of the heads; undefined of a chunk that is gone by now. */
  read(db: Db, heads: readonly store.StoredHead[]): Promise<(Digest | undefined)[]>;
}

interface Kept {
  readonly textHash: string;
  readonly name: string;
  readonly heading: string | null;
  readonly digest: Digest;
}

type Title = Pick<store.ChunkHead, 'name' | 'heading'>;

/** Some 45,000 chunks of ordinary length. */
const BUDGET = 64 * 2 ** 20;
/** What a digest takes beside its numbers, its vector and its title: measured. */
const OVERHEAD = 750;
/** About 20 MB. When there are more, all digests are made anew. */
const MOST_TERMS = 2 ** 18;

/** `budget` in bytes; 0 keeps nothing. */
export function createDigests(budget = BUDGET, mostTerms = MOST_TERMS): Digests {
  const kept = budget > 0 ? new LRUCache<number, Kept>({ maxSize: budget, sizeCalculation }) : null;
  let vocabulary = new Vocabulary();

  const known = ({ n, text_hash, name, heading }: store.StoredHead): Digest | undefined => {
    const found = kept?.get(n);
    if (found?.textHash !== text_hash || found.name !== name || found.heading !== heading)
      return undefined;
    return found.digest;
  };

  function make(head: store.StoredHead, body: store.ChunkBody): Digest {
    if (vocabulary.size > mostTerms) {
      vocabulary = new Vocabulary();
      kept?.clear();
    }
    const digest = digestOf(head, body, vocabulary);
    const { name, heading } = head;
    kept?.set(head.n, { textHash: head.text_hash, name, heading, digest });
    return digest;
  }

  return {
    async read(db, heads) {
      const digests = heads.map(known);
      const missing = heads.filter((_, i) => !digests[i]);
      if (missing.length === 0) return digests;
      const bodies = await store.bodies(
        db,
        missing.map(({ n }) => n),
      );
      const byNumber = new Map(bodies.map((body) => [body.n, body]));
      return heads.map((head, i) => {
        const body = byNumber.get(head.n);
        return digests[i] ?? (body && make(head, body));
      });
    },
  };
}

const sizeCalculation = ({ name, heading, digest }: Kept): number =>
  OVERHEAD +
  digest.terms.byteLength +
  digest.vector.values.byteLength +
  2 * (name.length + (heading?.length ?? 0));

/** The title that a chunk is indexed with. */
export const titleOf = ({ name, heading }: Title): string => `${name}\n${heading ?? ''}`;

/** Adds the terms that the vocabulary does not have. */
export function digestOf(
  title: Title,
  { text, scale, vector }: store.ChunkBody,
  vocabulary = new Vocabulary(),
): Digest {
  const numbers: number[] = [];
  vocabulary.number(titleOf(title), numbers);
  const titleLength = numbers.length;
  vocabulary.number(text, numbers);
  return {
    terms: Uint32Array.from(numbers),
    titleLength,
    vocabulary,
    vector: {
      scale,
      values: Int8Array.from(new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength)),
    },
  };
}

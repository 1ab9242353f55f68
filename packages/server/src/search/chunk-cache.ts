/**
 * Keeps the chunks that searches found recently, in the form that the ranking reads, because reading and digesting a
 * band is most of the work of a search.
 *
 * The head of a chunk, including who may see it, is valid for one version of the collection: every change to the
 * collection makes another version in the same commit, after which the head is read again. A digest is made only of
 * name, heading, text and vector, and is used with a head that has the same name, heading and hash of the text. In any
 * case, the rows of results are read from the database before they are shown.
 */
import type { ChunkOfCollection } from '../db/each-collection.ts';
import type { Db } from '../db/schema.ts';
import { Recent } from '../model/recent.ts';
import { type Digest, digestOf, inRoom, Room } from './digest.ts';
import type { Candidate } from './score.ts';
import * as store from './store.ts';

export interface ChunkCache {
  /** Returns those of the (distinct) chunks that exist in the snapshot, in no particular order. */
  read(db: Db, asked: AskedChunks): Promise<Candidate[]>;
}

interface AskedChunks {
  readonly searched: store.SearchedCollections;
  readonly numbers: readonly number[];
  /** Returns the version that the collection of a chunk has in the snapshot. */
  readonly versionOf: (n: number) => number;
  /** Returns the collection of a chunk; a chunk of none is not read. */
  readonly collectionOf: (n: number) => string | undefined;
}

interface CachedChunk extends Candidate {
  /** The hash of the text tells digests apart. It is a number because that takes less memory. */
  readonly hash: number;
  /** The head was read at this version. */
  readonly version: number;
}

/** About 65,000 chunks of ordinary length fit into the budget. */
const BUDGET = 96 * 2 ** 20;
/** A chunk takes this many bytes beside its numbers, its vector and its texts, as measured. */
const OVERHEAD = 800;
const ROOM_STEP = 2 ** 18;

/** The budget is in bytes; 0 keeps nothing. */
export function createChunkCache(budget = BUDGET): ChunkCache {
  const room = new Room(ROOM_STEP);
  const kept = new Recent<number, CachedChunk>({
    budget,
    sizeOf,
    // A digest that is not moved would keep the whole buffer that it shares with removed digests.
    renew: (one) => ({ ...one, digest: inRoom(one.digest, room) }),
  });

  function keptDigest({ n, name, heading }: store.ChunkHead, hash: number): Digest | undefined {
    const one = kept.get(n);
    const isSame = one?.hash === hash && one.head.name === name && one.head.heading === heading;
    return isSame ? one?.digest : undefined;
  }

  return {
    async read(db, { searched, numbers, versionOf, collectionOf }) {
      const candidates: Candidate[] = [];
      const missing: ChunkOfCollection[] = [];
      for (const n of numbers) {
        const one = kept.get(n);
        const collection = collectionOf(n);
        if (one?.version === versionOf(n)) candidates.push(one);
        else if (collection !== undefined) missing.push({ n, collection_id: collection });
      }
      if (missing.length === 0) return candidates;
      const rows = await store.heads(db, searched, missing);
      const read = rows.map(({ head, textHash }) => {
        const hash = toNumber(textHash);
        return { head, hash, digest: keptDigest(head, hash) };
      });
      const unread = read.filter(({ digest }) => !digest).map(({ head }) => head);
      const bodies = unread.length > 0 ? await store.bodies(db, unread) : [];
      const bodyOf = new Map(bodies.map((body) => [body.n, body]));
      for (const { head, hash, digest } of read) {
        const body = bodyOf.get(head.n);
        const own = digest ?? (body && digestOf(head, body, room));
        if (!own) continue;
        const one = { head, digest: own, hash, version: versionOf(head.n) };
        kept.set(head.n, one);
        candidates.push(one);
      }
      return candidates;
    },
  };
}

/**
 * Returns as much of a hash in hexadecimal as a number can hold. A text without a hash gives NaN, which equals
 * nothing.
 */
const toNumber = (hash: string): number => Number.parseInt(hash.slice(0, 13), 16);

const sizeOf = ({ head, digest }: CachedChunk): number =>
  OVERHEAD +
  digest.terms.byteLength +
  digest.vector.values.byteLength +
  head.name.length +
  head.entity_id.length +
  (head.heading?.length ?? 0) +
  (head.url?.length ?? 0);

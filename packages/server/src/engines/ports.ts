/**
 * The engines: what the service needs from the outside world and nothing more.
 *
 * Each interface has an embedded implementation that needs no set-up and one for scale; the search
 * index also an exact one in memory, which is the oracle of the tests. An interface with one
 * implementation does not belong here; it is just code.
 */
import type { Kysely } from 'kysely';
import type { Db, Schema, Tx } from '../db/schema.ts';
import type { Chunk } from '../model/chunk.ts';
import type { Filter } from '../model/filter.ts';
import type { Vector } from '../model/vector.ts';

export interface Embedder {
  /** Name and version: part of the recipe, stored with the collection. */
  readonly model: string;
  readonly dimensions: number;
  /** Unit vectors (a text without words gives zeros), one a text, in order. */
  embed(
    texts: readonly string[],
    as: 'document' | 'query',
    signal: AbortSignal,
  ): Promise<Float32Array[]>;
}

/** Orders a few texts by how well they answer a query. */
export interface Reranker {
  readonly model: string;
  /**
   * Relevance in [0, 1], one a text, in order. Throws when the model has not answered within a few
   * seconds, or with what are no scores of these texts: the caller goes on without.
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}

/** All that one connection has put into one collection. */
export interface ConnectionScope {
  readonly collectionId: string;
  readonly connectionId: string;
}

/**
 * Words and vectors of chunks, in the database and in the transaction of what they belong to, so
 * that a commit is the instant at which every arm finds the change.
 */
export interface SearchIndex {
  /** Makes room for a new collection. */
  create(tx: Tx, collectionId: string): Promise<void>;
  /**
   * The entities (row ids) have exactly these chunks afterwards, possibly none. `renewed`: they say what
   * they said before, so a search that has found the old ones is led on to them.
   */
  write(
    tx: Tx,
    scope: ConnectionScope,
    entities: readonly string[],
    chunks: readonly Chunk[],
    how?: 'changed' | 'renewed',
  ): Promise<void>;
  /** Says that something a filter or the access check reads has changed without its chunks. */
  touch(tx: Tx, collectionId: string): Promise<void>;
  /** Vectors that the connection already has, by the hash of the embedded text. */
  vectors(
    db: Db,
    scope: ConnectionScope,
    textHashes: readonly string[],
  ): Promise<ReadonlyMap<string, Vector>>;
  /** Forgets the collection, whose rows must have been removed before: short if upkeep went along. */
  drop(tx: Tx, collectionId: string): Promise<void>;
  /**
   * One short step of the upkeep that writing leaves behind; true when there is more to do. For idle
   * moments, and after every few batches of a big load.
   */
  maintain(db: Kysely<Schema>, collectionId: string): Promise<boolean>;
  /** Numbers of chunks, best first; ties by number. Prefix-stable in `depth`. */
  candidates(collectionId: string, query: IndexQuery): Promise<readonly number[]>;
  /** Says of which connections and types there is something that the asker may see, by both in order. */
  kinds(collectionId: string, sight: Sight): Promise<readonly ConnectionEntityType[]>;
  /** How many chunks such a question may give, whatever it asks for. */
  count(collectionId: string, scope: IndexScope): Promise<number>;
  /**
   * What BM25 needs: scores are recomputed above the engine, so they are the same on all. An asker with
   * principals gets the statistics of what he may see, and nothing else moves them; others get those of the
   * whole collection.
   */
  statistics(
    collectionId: string,
    terms: readonly string[],
    sight: Sight,
  ): Promise<VersionedStatistics>;
  readonly doctor: IndexDoctor;
  close(): Promise<void>;
}

/**
 * Looks for what cannot be while a change and its index are one transaction, and takes it away. Pages
 * are of some hundred chunks, in the order of their numbers; the first is asked for with null.
 */
export interface IndexDoctor {
  /** Rows, words and vectors against each other. All pages belong into one snapshot. */
  examine(db: Db, collectionId: string, after: number | null): Promise<IndexPage>;
  /** What this process holds in memory against the rows; nothing when it holds nothing. */
  examineMemory(collectionId: string, after: number | null): Promise<MemoryPage>;
  /** Holds nothing of the collection in memory any more: the next search reads it anew. */
  forget(collectionId: string): void;
  /** Takes away whatever there is under these numbers. */
  discard(tx: Tx, collectionId: string, numbers: readonly number[]): Promise<void>;
  /** Adds to the stored totals of the collection. */
  correct(tx: Tx, collectionId: string, by: Totals): Promise<void>;
}

export type IndexFault =
  | 'chunk_without_entity'
  | 'chunk_without_body'
  | 'body_without_chunk'
  | 'chunk_without_words'
  | 'words_without_chunk'
  | 'wrong_words'
  | 'wrong_vector'
  | 'wrong_memory';

export interface IndexFinding {
  readonly kind: IndexFault;
  /** Number of the chunk. */
  readonly n: number;
  /** Row id of the entity that the chunk names. */
  readonly entity: string | null;
}

export interface Totals {
  readonly chunks: number;
  /** Sum of the chunks' lengths in terms. */
  readonly terms: number;
}

export interface IndexPage {
  /** Of the chunks on this page. */
  readonly totals: Totals;
  /** Chunks whose words and vectors were looked at; 0 words where the engine stores none. */
  readonly words: number;
  readonly vectors: number;
  readonly findings: readonly IndexFinding[];
  /** What to ask for next; null at the end. */
  readonly next: number | null;
}

export interface MemoryPage {
  readonly compared: number;
  readonly findings: readonly IndexFinding[];
  readonly next: number | null;
}

export interface Statistics {
  readonly chunks: number;
  /** Terms a chunk, on average. */
  readonly averageLength: number;
  /** How many chunks hold each term, in the order asked. */
  readonly documentFrequencies: readonly number[];
}

export interface VersionedStatistics extends Statistics {
  /** Of the collection: each commit that changes what a search reads makes it greater. */
  readonly version: number;
}

/** What of a collection an asker may see, whatever he asks for. */
export interface Sight {
  /** Ids of the connections that are not deleted. */
  readonly live: readonly string[];
  /** Principals of the asker, or null when access control does not apply. */
  readonly principals: readonly string[] | null;
}

/** A type of entities of one connection. */
export interface ConnectionEntityType {
  readonly connectionId: string;
  readonly entityType: string;
}

/** What of a collection may be given. */
export interface IndexScope extends Sight {
  readonly filter: Filter;
}

/**
 * One retrieval arm: by meaning or by words, which are weighed by the statistics of the scope's sight. Fusion
 * and scores are made above the engine.
 */
export interface IndexQuery extends IndexScope {
  readonly arm: { readonly vector: Float32Array } | { readonly terms: readonly string[] };
  /** How many; a constant of the ranking, never the caller's limit. */
  readonly depth: number;
}

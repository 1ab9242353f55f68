/**
 * The engines are what the service needs from the outside world, and nothing more.
 *
 * Each interface has an embedded implementation that needs no set-up, and one for scale; the search index also has
 * an exact one in memory, which is the oracle of the tests. An interface with one implementation does not belong
 * here; it is just code.
 */
import type { Kysely } from 'kysely';
import type { Db, Schema, Tx } from '../db/schema.ts';
import type { Chunk } from '../model/chunk.ts';
import type { Filter } from '../model/filter.ts';
import type { Vector } from '../model/vector.ts';

/** Some models embed a query in another way than a document. */
export type EmbeddedAs = 'document' | 'query';

export interface Embedder {
  /** Name and version are a part of the recipe, and are stored with the collection. */
  readonly model: string;
  readonly dimensions: number;
  /** Returns unit vectors (a text without words gives zeros), one for each text, in order. */
  embed(texts: readonly string[], as: EmbeddedAs, signal: AbortSignal): Promise<Float32Array[]>;
}

/** Orders a few texts by how well they answer a query. */
export interface Reranker {
  readonly model: string;
  /**
   * Returns the relevance in [0, 1], one number for each text, in order. Throws when the model has not answered
   * within a few seconds, or when its answer does not hold the scores of these texts: the caller goes on without
   * them.
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}

/** This names all that one connection has put into one collection. */
export interface ConnectionScope {
  readonly collectionId: string;
  readonly connectionId: string;
}

/**
 * Holds the words and vectors of chunks. They are in the database and in the transaction of what they belong to,
 * so that a commit is the instant at which every arm finds the change.
 */
export interface SearchIndex {
  /** Makes room for a new collection. */
  create(tx: Tx, collectionId: string): Promise<void>;
  /** Returns the entities (row ids) exactly these chunks, possibly none. */
  write(
    tx: Tx,
    scope: ConnectionScope,
    entities: readonly string[],
    chunks: readonly Chunk[],
  ): Promise<void>;
  /** Records that something which a filter or the access check reads has changed without the chunks. */
  touch(tx: Tx, collectionId: string): Promise<void>;
  /** Returns vectors that the connection already has, by the hash of the embedded text. */
  vectors(
    db: Db,
    scope: ConnectionScope,
    textHashes: readonly string[],
  ): Promise<ReadonlyMap<string, Vector>>;
  /** Removes the collection, whose rows must have been removed before. This is short if upkeep has kept pace. */
  drop(tx: Tx, collectionId: string): Promise<void>;
  /**
   * Performs one short step of the upkeep that writing leaves behind. Returns true when there is more to do.
   * Callers use it in idle moments, and after every few batches of a big load.
   */
  maintain(db: Kysely<Schema>, collectionId: string): Promise<boolean>;
  /**
   * Takes one look at a collection: `find`, `read` and every statement of their transaction see the same commit.
   * `find` has the memory of the collection to itself, so it is short and waits for nothing but the database;
   * `read` goes on with rows. Both may run again from the start when the collection is dropped meanwhile.
   */
  look<Found, Read>(
    db: Kysely<Schema>,
    collectionId: string,
    work: LookWork<Found, Read>,
  ): Promise<Read>;
  /** Returns the connections and types of which the asker may see something, ordered by both. */
  kinds(db: Db, collectionId: string, sight: Sight): Promise<readonly ConnectionEntityType[]>;
  readonly doctor: IndexDoctor;
}

export interface LookWork<Found, Read> {
  find(index: IndexLook, tx: Tx): Promise<Found>;
  read(found: Found, tx: Tx): Promise<Read>;
}

/** The index answers these questions about the commit that a look sees. */
export interface IndexLook {
  /**
   * The version belongs to the collection: each commit that changes what a search reads makes it greater. It is 0
   * for a collection that does not exist.
   */
  readonly version: number;
  /**
   * Returns numbers of chunks, best first; ties are in the order of numbers. The list of a smaller `depth` is the
   * beginning of that of a greater one.
   */
  candidates(query: IndexQuery): Promise<readonly number[]>;
  /** Returns how many chunks such a question may return, whatever it asks for. */
  count(scope: IndexScope): Promise<number>;
  /**
   * Returns what BM25 needs: scores are recomputed above the engine, so they are the same on all engines. An asker
   * with principals gets the statistics of what it may see, and nothing else moves them; other askers get those of
   * the whole collection.
   */
  statistics(terms: readonly string[], sight: Sight): Promise<Statistics>;
}

/**
 * Looks for rows that cannot exist as long as a change and its index are one transaction, and removes them. Pages
 * have some hundred chunks, in the order of their numbers; null asks for the first page.
 */
export interface IndexDoctor {
  /** Compares rows, words and vectors with each other. All pages belong to one snapshot. */
  examine(db: Db, collectionId: string, after: number | null): Promise<IndexPage>;
  /** Compares what this process holds in memory with the rows; the page is empty when it holds nothing. */
  examineMemory(
    db: Kysely<Schema>,
    collectionId: string,
    after: number | null,
  ): Promise<MemoryPage>;
  /** Removes the collection from memory, so that the next search reads it again. */
  forget(collectionId: string): void;
  /** Removes whatever exists under these numbers. */
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
  /** This is the number of the chunk. */
  readonly n: number;
  /** This is the row id of the entity that the chunk names; null means that the chunk does not exist. */
  readonly entity: string | null;
}

export interface Totals {
  readonly chunks: number;
  /** This is the sum of the chunks' lengths in terms. */
  readonly terms: number;
}

export interface IndexPage {
  /** The totals sum up the chunks on this page. */
  readonly totals: Totals;
  /** This many chunks had words and vectors to look at; `words` is 0 where the engine stores none. */
  readonly words: number;
  readonly vectors: number;
  readonly findings: readonly IndexFinding[];
  /** The next page is asked for with this number; null means that this page is the last one. */
  readonly next: number | null;
}

export interface MemoryPage {
  readonly compared: number;
  readonly findings: readonly IndexFinding[];
  readonly next: number | null;
}

export interface Statistics {
  readonly chunks: number;
  /** A chunk has this many terms on average. */
  readonly averageLength: number;
  /** The frequencies say how many chunks hold each term, in the order asked. */
  readonly documentFrequencies: readonly number[];
}

/** A sight says what of a collection an asker may see, whatever the question is. */
export interface Sight {
  /** These are the ids of the connections that are not deleted. */
  readonly live: readonly string[];
  /** These are the principals of the asker; null means that access control does not apply. */
  readonly principals: readonly string[] | null;
}

/** The type is one of the entities of one connection. */
export interface ConnectionEntityType {
  readonly connectionId: string;
  readonly entityType: string;
}

/** A scope says what of a collection may be returned. */
export interface IndexScope extends Sight {
  readonly filter: Filter;
}

/**
 * A query is one retrieval arm: by meaning, or by words, which are weighed by the statistics of the scope's sight.
 * Fusion and scores are made above the engine.
 */
export interface IndexQuery extends IndexScope {
  readonly arm: { readonly vector: Float32Array } | { readonly terms: readonly string[] };
  /** The arm returns this many chunks at most. It is a constant of the ranking, never the caller's limit. */
  readonly depth: number;
}

/**
 * These are the interfaces of the engines. The embedder and the search index each have an embedded implementation,
 * which needs no set-up, and an implementation for larger installations. The search index also has an exact
 * implementation in memory, which is the oracle of the tests. A reranker is always a remote model: without one, the
 * search ranks by itself.
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
  /** The ranking uses cosines of the built-in model as they are, and weighs those of other models more. */
  readonly isBuiltIn: boolean;
  readonly dimensions: number;
  /** Returns one unit vector for each text, in order. A text without words gets a vector of zeros. */
  embed(texts: readonly string[], as: EmbeddedAs, signal: AbortSignal): Promise<Float32Array[]>;
}

/** Orders a few texts by how well they answer a query. */
export interface Reranker {
  readonly model: string;
  /**
   * Returns the relevance in [0, 1], one number for each text, in order. Throws when the model has not answered
   * within a few seconds, or when its answer does not have the scores of these texts; the caller then goes on without
   * these scores.
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}

/** A scope of a connection consists of everything that one connection has put into one collection. */
export interface ConnectionScope {
  readonly collectionId: string;
  readonly connectionId: string;
}

/**
 * The index has the words and vectors of chunks. They are in the database and are written in the transaction of their
 * chunks, so that both arms find a change from its commit on.
 */
export interface SearchIndex {
  /** Creates the index of a new collection. */
  create(tx: Tx, collectionId: string): Promise<void>;
  /** Replaces the chunks of these entities (row ids) by `chunks`, which may be empty. */
  write(
    tx: Tx,
    scope: ConnectionScope,
    entities: readonly string[],
    chunks: readonly Chunk[],
  ): Promise<void>;
  /** Must be called when fields or access data that a filter or the access check reads change and the chunks do not. */
  touch(tx: Tx, collectionId: string): Promise<void>;
  /** Returns vectors that the connection already has, by the hash of the embedded text. */
  vectors(
    db: Db,
    scope: ConnectionScope,
    textHashes: readonly string[],
  ): Promise<ReadonlyMap<string, Vector>>;
  /** Removes the collection, whose rows must have been removed before. */
  drop(tx: Tx, collectionId: string): Promise<void>;
  /**
   * Performs one short step of the upkeep that writing leaves behind. Returns true when there is more to do.
   * Callers use it in idle moments, and after every few batches of a big load.
   */
  maintain(db: Kysely<Schema>, collectionId: string): Promise<boolean>;
  /**
   * Takes one look at collections: `find`, `read` and every statement of their transaction see the same commit. `find`
   * asks the index, which answers as if all chunks of the collections were in one collection. Other looks at the
   * collections wait until it ends, so it must be short and may wait for nothing but the database. `read` then reads
   * rows. Both may run a second time when a collection is dropped meanwhile.
   */
  look<Found, Read>(
    db: Kysely<Schema>,
    collectionIds: readonly string[],
    work: LookWork<Found, Read>,
  ): Promise<Read>;
  /**
   * Reads collections into memory before a search asks for them: the largest ones, up to half of the memory for
   * collections. A search meanwhile waits only for its own collections. The signal aborts when the database is closed. Throws
   * an AggregateError when collections could not be read; the others were read.
   */
  warm(db: Kysely<Schema>, signal: AbortSignal): Promise<void>;
  /**
   * Stores copies of large collections in the background, where the index does so, so that the next start need not make them
   * from the rows, and removes copies of collections that are gone. Works until the signal aborts.
   */
  keepSegments(db: Kysely<Schema>, options: KeepSegmentsOptions): Promise<void>;
  /** Returns how many bytes the copies of collections take in the memory of this thread. */
  residentBytes(): number;
  /** Returns how many copies have been removed from the memory of this thread to make room for others. */
  evictions(): number;
  /** Returns the connections and types of which the asker may see something, ordered by both. */
  kinds(db: Db, collectionId: string, sight: Sight): Promise<readonly ConnectionEntityType[]>;
  readonly doctor: IndexDoctor;
}

export interface KeepSegmentsOptions {
  readonly signal: AbortSignal;
  /** The function is called with what kept copies from being stored. The work goes on later. */
  readonly failed: (error: unknown) => void;
  /** If true, collections that nobody has searched yet are read to be stored. */
  readonly readsCollections: boolean;
}

export interface LookWork<Found, Read> {
  find(index: IndexLook, tx: Tx): Promise<Found>;
  read(found: Found, tx: Tx): Promise<Read>;
}

/** Says how the cosines of pairs of texts are distributed. */
export interface CosineRange {
  readonly mean: number;
  /** This is the standard deviation, which is above 0. */
  readonly spread: number;
}

/** The index answers these questions about the commit that a look sees. */
export interface IndexLook {
  /**
   * Returns the version of the collection that has the chunk with this number: each commit that changes what a search
   * reads makes it greater. It is 0 for a collection that does not exist, or at which the look does not look.
   */
  versionOf(n: number): number;
  /** Returns the id of that collection; undefined when the look does not look at it. */
  collectionOf(n: number): string | undefined;
  /** This is how near the texts of the collections are to each other; null while it is not known (index/cosines.ts). */
  readonly cosines: CosineRange | null;
  /**
   * Returns numbers of chunks, best first; ties are in the order of numbers. The list of a smaller `depth` is the
   * beginning of that of a greater one.
   */
  candidates(query: IndexQuery): Promise<readonly number[]>;
  /** Returns how many chunks the scope allows. */
  count(scope: IndexScope): Promise<number>;
  /**
   * Returns what BM25 needs. The search computes its scores from it, so they are the same on all engines. For an asker
   * with principals only the chunks that it may see count; for other askers, the whole collections count.
   */
  statistics(terms: readonly string[], sight: Sight): Promise<Statistics>;
}

/**
 * Finds and removes rows that contradict each other (index/examine.ts). A page has a few hundred chunks, in the order
 * of their numbers. `after` is the `next` of the page before, or null for the first page.
 */
export interface IndexDoctor {
  /** Compares rows, words and vectors with each other. All pages belong to one snapshot. */
  examine(db: Db, collectionId: string, after: number | null): Promise<IndexPage>;
  /** Compares this thread's copy of the collection in memory with the rows. Without a copy, the page is empty. */
  examineMemory(
    db: Kysely<Schema>,
    collectionId: string,
    after: number | null,
  ): Promise<MemoryPage>;
  /** Removes the copies of the collection from memory and from storage, so that the next search reads the rows. */
  forget(db: Kysely<Schema>, collectionId: string): Promise<void>;
  /** Removes the rows, words and vectors of the chunks with these numbers, if any exist. */
  discard(tx: Tx, collectionId: string, numbers: readonly number[]): Promise<void>;
  /** Adds to the stored totals of the collection. */
  correct(tx: Tx, collectionId: string, by: Totals): Promise<unknown>;
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
  /** This many chunks on this page had their words examined; 0 if the engine does not store words. */
  readonly words: number;
  /** This many chunks on this page had their vectors examined. */
  readonly vectors: number;
  readonly findings: readonly IndexFinding[];
  /** The next page begins after this number; null means that this page is the last one. */
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
  /** The frequencies say how many chunks have each term, in the order of the terms that the caller gave. */
  readonly documentFrequencies: readonly number[];
}

/** A sight says which part of the collections an asker may see, whatever it searches for. */
export interface Sight {
  /** These are the ids of the connections that are not deleted. */
  readonly live: readonly string[];
  /** These are the principals of the asker; null means that access control does not apply. */
  readonly principals: readonly string[] | null;
}

/** This names a type of the entities of one connection. */
export interface ConnectionEntityType {
  readonly connectionId: string;
  readonly entityType: string;
}

/** A scope says which part of the collections may be returned: the chunks that the asker may see and the filter allows. */
export interface IndexScope extends Sight {
  readonly filter: Filter;
}

/**
 * A query asks one arm: by meaning (a vector), or by words, whose weights come from the chunks that the asker may see.
 * The search fuses the arms and computes the scores.
 */
export interface IndexQuery extends IndexScope {
  readonly arm: { readonly vector: Float32Array } | { readonly terms: readonly string[] };
  /** The arm returns at most this many chunks. The ranking sets this number; it never depends on the caller's limit. */
  readonly depth: number;
}

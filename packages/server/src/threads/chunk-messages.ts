/** These are the messages between the worker thread and the threads that make chunks for it. */
import type { MessagePort } from 'node:worker_threads';
import type { SharedModel } from '../engines/embedder/model-file.ts';
import type { Chunk } from '../model/chunk.ts';
import type { ChunkInput, MadeChunks } from '../syncs/pipeline/chunks.ts';

/** A thread receives this data when it is created. It gets no secret, because it works on the texts of others. */
export interface ChunkThreadData {
  readonly model: SharedModel;
  readonly logLevel: string;
  /** If true, the thread measures its event loop. */
  readonly isMeasured: boolean;
  readonly metricsPort: MessagePort;
}

export interface ChunkCall {
  readonly id: number;
  readonly entities: readonly ChunkInput[];
}

export type ChunkReply =
  | { readonly id: number; readonly chunks: readonly PackedChunks[] }
  | { readonly id: number; readonly error: unknown };

/** The terms of a chunk are one text with blanks between them, because a message with many small texts is slow. */
type PackedChunk = Omit<Chunk, 'terms'> & { readonly terms: string };
type PackedChunks = readonly [row: string, chunks: readonly PackedChunk[]];

export const packed = (made: MadeChunks): PackedChunks[] =>
  [...made].map(([row, chunks]) => [
    row,
    chunks.map((chunk) => ({ ...chunk, terms: chunk.terms.join(' ') })),
  ]);

export const unpacked = (made: readonly PackedChunks[]): MadeChunks =>
  new Map(
    made.map(([row, chunks]) => [
      row,
      chunks.map((chunk) => ({
        ...chunk,
        terms: chunk.terms === '' ? [] : chunk.terms.split(' '),
      })),
    ]),
  );

/** Prepares live rows, so that they can be ranked together with the chunks of the index. */
import { embeddedText } from '../../documents/split.ts';
import type { Embedder, Statistics } from '../../engines/ports.ts';
import { SourceError } from '../../errors.ts';
import { indexTerms } from '../../model/title.ts';
import { quantize } from '../../model/vector.ts';
import { must } from '../../util.ts';
import type { ChunkHead, ChunkRow } from '../store.ts';
import type { LiveRow } from './rows.ts';

/**
 * Gives live rows what chunks of the index have: a vector and a number. The number is below 0, because the numbers of
 * indexed chunks are not. The vector is zero when the ranking compares no vectors, or when the embedder fails.
 */
export async function toChunkRows(
  rows: readonly LiveRow[],
  embedder: Embedder,
  { comparesVectors, signal }: { readonly comparesVectors: boolean; readonly signal: AbortSignal },
): Promise<ChunkRow[]> {
  const numbered = rows.map((row, i) => ({ ...row, n: -1 - i }));
  const vectors =
    rows.length > 0 && comparesVectors ? await vectorsOf(rows, embedder, signal) : null;
  const none = new Float32Array(embedder.dimensions);
  return numbered.map((row, i) => {
    const { scale, values } = quantize(vectors ? must(vectors[i]) : none);
    return { ...row, scale, vector: new Uint8Array(values.buffer, values.byteOffset) };
  });
}

async function vectorsOf(
  rows: readonly LiveRow[],
  embedder: Embedder,
  signal: AbortSignal,
): Promise<readonly Float32Array[] | null> {
  try {
    const texts = rows.map((row) => embeddedText(row.name, row));
    return await embedder.embed(texts, 'document', signal);
  } catch (error) {
    // Rows without vectors are ranked by their words.
    if (error instanceof SourceError) return null;
    throw error;
  }
}

/** Drops live rows whose record is indexed, or which an earlier live row has. */
export function withoutTwins(rows: readonly ChunkRow[], indexed: readonly ChunkHead[]): ChunkRow[] {
  const ids = new Set<string>();
  /** A URL leads to the connection that has it; within one connection, several records may have the same URL. */
  const urls = new Map<string, string>();
  const add = (row: ChunkHead) => {
    ids.add(recordKey(row));
    if (row.url !== null && !urls.has(row.url)) urls.set(row.url, row.connection_id);
  };
  const isTwin = (row: ChunkHead) =>
    ids.has(recordKey(row)) ||
    (row.url !== null && (urls.get(row.url) ?? row.connection_id) !== row.connection_id);
  for (const row of indexed) add(row);
  return rows.filter((row) => {
    if (isTwin(row)) return false;
    add(row);
    return true;
  });
}

const recordKey = (row: ChunkHead) => `${row.short_name} ${row.entity_id}`;

/** In a collection without indexed chunks, the average length is that of the live rows. */
export function withAverageLength(statistics: Statistics, rows: readonly ChunkRow[]): Statistics {
  if (statistics.chunks > 0 || rows.length === 0) return statistics;
  const lengths = rows.map((row) => indexTerms(row).length);
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / rows.length;
  return { ...statistics, averageLength };
}

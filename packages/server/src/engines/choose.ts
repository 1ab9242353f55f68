/** Chooses the engines for a configuration. Only this file decides which implementation runs. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import type { Transcribe } from '../model/transcript.ts';
import { BUILTIN } from '../model-settings.ts';
import {
  type KeySetting,
  type ModelRole,
  nameOf,
  parseModel,
  type RemoteModel,
  withKey,
} from '../providers.ts';
import { createBuiltinEmbedder } from './embedder/builtin.ts';
import type { SharedModel } from './embedder/model-file.ts';
import { createRemoteEmbedder } from './embedder/remote.ts';
import { adoptEmbedder, assertEmbedder } from './index/embedding.ts';
import { createPostgresIndex } from './index/postgres.ts';
import { installedForms } from './index/postgres-forms.ts';
import { preparePostgresIndex } from './index/postgres-prepare.ts';
import { createSqliteIndex } from './index/sqlite.ts';
import type { Llm } from './llm/llm.ts';
import {
  type ModelMetrics,
  measuredEmbedder,
  measuredReranker,
  measuredTranscriber,
} from './measure.ts';
import type { Embedder, Reranker, SearchIndex } from './ports.ts';
import { createRemoteReranker } from './reranker/remote.ts';
import { createTranscriber } from './transcriber/remote.ts';

/** This folder of the data directory has stored copies of collections (index/segments.ts). */
const SEGMENTS = 'segments';

export interface DatabaseSettings {
  readonly QUARRY_DATA_DIR: string;
  readonly QUARRY_INDEX_MEMORY_MB: number;
}

export interface OpenDatabase {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  /**
   * Other threads and processes connect to the database at this address. It is null when only this process can reach
   * the database, which is never the case with SQLite.
   */
  readonly url: string | null;
}

export function chooseIndex(
  settings: Pick<DatabaseSettings, 'QUARRY_INDEX_MEMORY_MB' | 'QUARRY_DATA_DIR'>,
  { kind }: Pick<OpenDatabase, 'kind'>,
  embedder: Embedder,
): SearchIndex {
  const options = {
    dimensions: embedder.dimensions,
    budget: settings.QUARRY_INDEX_MEMORY_MB * 2 ** 20,
  };
  const segmentFolder = join(settings.QUARRY_DATA_DIR, SEGMENTS);
  const index =
    kind === 'sqlite'
      ? createSqliteIndex({ ...options, segmentFolder })
      : createPostgresIndex(options);
  return {
    ...index,
    async write(tx, scope, entities, chunks) {
      await assertEmbedder(tx, scope.collectionId, embedder);
      await index.write(tx, scope, entities, chunks);
    },
  };
}

/** Returns what the index of a new collection is made of. */
export async function indexFormsOf({ db, kind }: Pick<OpenDatabase, 'db' | 'kind'>) {
  if (kind === 'sqlite') return { words: 'memory', vectors: 'scan' } as const;
  const { words, vectors } = await installedForms(db);
  return {
    words: words === 'bm25' ? 'pg_textsearch' : 'memory',
    vectors: vectors === 'hnsw' ? 'pgvector' : 'scan',
  } as const;
}

/**
 * Prepares the search indexes when the program starts, after the migrations. The form of an index depends on the
 * embedder and on the installed extensions of PostgreSQL, which may have changed since the last start.
 */
export async function prepareIndex(
  { db, kind }: OpenDatabase,
  embedder: Embedder,
  log: Logger,
): Promise<void> {
  const without = await adoptEmbedder(db, kind, embedder);
  if (without.length > 0)
    log.warn(
      { collections: without, embedder: embedder.model },
      'the embedder has changed: searches of these collections compare only words until the vectors are made again; run quarry reindex <collection> for each',
    );
  if (kind === 'sqlite') return;
  const { words, vectors } = await preparePostgresIndex(db, embedder.dimensions, (collections) =>
    log.info(
      { collections },
      'the search index is built again, because the extensions of the database, or what Quarry uses of it, have changed',
    ),
  );
  log.info(
    {
      words: words === 'bm25' ? 'pg_textsearch' : 'lists in memory',
      vectors: vectors === 'hnsw' ? 'pgvector' : 'scan in memory',
    },
    'search index on PostgreSQL',
  );
}

type TranscriberSettings = Pick<
  Config,
  'QUARRY_TRANSCRIBER' | 'QUARRY_TRANSCRIBER_MB' | 'QUARRY_TRANSCRIBER_SECONDS' | KeySetting
>;

type ModelSettings = Pick<
  Config,
  | 'QUARRY_LLM'
  | 'QUARRY_EMBEDDER'
  | 'QUARRY_EMBEDDER_DIMENSIONS'
  | 'QUARRY_EMBEDDER_TOKENS'
  | 'QUARRY_EMBEDDER_QUERY_PREFIX'
  | 'QUARRY_EMBEDDER_DOCUMENT_PREFIX'
  | 'QUARRY_RERANKER'
  | KeySetting
>;

/**
 * Throws an error for the operator when the configured embedder cannot be used. `model` is the built-in model, which
 * the first thread loads once and shares with the others.
 */
export function chooseEmbedder(
  settings: ModelSettings,
  model: SharedModel,
  metrics: ModelMetrics,
): Embedder {
  if (settings.QUARRY_EMBEDDER === BUILTIN) return createBuiltinEmbedder({ model });
  const remote = remoteOf(settings, 'embedder', settings.QUARRY_EMBEDDER);
  const embedder = createRemoteEmbedder(remote, {
    dimensions: settings.QUARRY_EMBEDDER_DIMENSIONS,
    tokens: settings.QUARRY_EMBEDDER_TOKENS,
    queryPrefix: settings.QUARRY_EMBEDDER_QUERY_PREFIX,
    documentPrefix: settings.QUARRY_EMBEDDER_DOCUMENT_PREFIX,
  });
  return measuredEmbedder(embedder, nameOf(remote), metrics);
}

/** Returns null for the built-in reranker, which is part of the search. */
export const chooseReranker = (settings: ModelSettings, metrics: ModelMetrics): Reranker | null =>
  settings.QUARRY_RERANKER === BUILTIN
    ? null
    : measuredReranker(
        createRemoteReranker(remoteOf(settings, 'reranker', settings.QUARRY_RERANKER)),
        metrics,
      );

/** Returns null when nobody writes down what is spoken in recordings. */
export function chooseTranscriber(
  settings: TranscriberSettings,
  metrics: ModelMetrics,
): { readonly transcribe: Transcribe; readonly largestMb: number } | null {
  const { QUARRY_TRANSCRIBER: name, QUARRY_TRANSCRIBER_SECONDS: seconds } = settings;
  if (name === undefined) return null;
  const remote = remoteOf(settings, 'transcriber', name);
  return {
    transcribe: measuredTranscriber(
      createTranscriber(remote, { timeoutMs: seconds * 1000 }),
      nameOf(remote),
      metrics,
    ),
    largestMb: settings.QUARRY_TRANSCRIBER_MB,
  };
}

/** Returns null when no language model is configured. */
export async function chooseLlm(
  settings: ModelSettings,
  log: Logger,
  metrics: ModelMetrics,
): Promise<Llm | null> {
  const models = settings.QUARRY_LLM.map((name) => remoteOf(settings, 'llm', name));
  if (models.length === 0) return null;
  // The import is dynamic because the libraries of all providers take 100 ms to load.
  const { createLlm } = await import('./llm/chain.ts');
  return createLlm(models, log, metrics);
}

const remoteOf = (
  settings: Pick<ModelSettings, KeySetting>,
  role: ModelRole,
  name: string,
): RemoteModel => withKey(parseModel(name, role), settings);

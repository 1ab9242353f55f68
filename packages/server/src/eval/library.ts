/** A library is the search of the service over one collection, called directly and not over HTTP. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type Config, EMBEDDER_SETTINGS, readConfig } from '../config.ts';
import { databaseUrl } from '../db/address.ts';
import { connect, databaseKind } from '../db/connect.ts';
import { assertMigrated, migrate } from '../db/migrate.ts';
import { chooseEmbedder, chooseIndex, type OpenDatabase } from '../engines/choose.ts';
import { loadModel } from '../engines/embedder/model-file.ts';
import { createWords } from '../engines/embedder/words.ts';
import { everything } from '../model/filter.ts';
import type { OwnWeights } from '../model/own-weights.ts';
import { KEY_SETTINGS } from '../providers.ts';
import { type Agent, createAgent } from '../search/agent/service.ts';
import { createChunkCache } from '../search/chunk-cache.ts';
import { createModelCache } from '../search/llm/model-cache.ts';
import {
  type CollectionWeights,
  collectionWeights,
  createWeightsFor,
  type WeightsFor,
} from '../search/own-weights.ts';
import { rankedPage } from '../search/page.ts';
import { defaultWeights, type RerankWeights } from '../search/rank.ts';
import type { ResultPage } from '../search/ranking.ts';
import type { SearchBody } from '../search/schema.ts';
import { createSearch, type Search, type SearchDeps } from '../search/service.ts';
import type { SearchedCollection } from '../search/weights-store.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { fill, READABLE_ID } from './fill.ts';
import type { JudgedDocument } from './judged.ts';
import * as store from './store.ts';

const SILENT = pino({ level: 'silent' });

export interface Library {
  readonly place: SearchedCollection;
  /** This embedder has made the vectors of the collection. */
  readonly embedder: string;
  /** These are the weights of the reranker for this embedder, which apply where a collection has no others. */
  readonly defaults: RerankWeights;
  searchWith(weights: RerankWeights): Search;
  /** Searches with these weights, and returns a page in which each result has its score and the features of the score. */
  pageWith(weights: RerankWeights, body: SearchBody): Promise<ResultPage>;
  /** The agentic search runs without a language model, too. */
  readonly agent: Agent;
  /** Returns the documents of the collection, each with the text of its chunks. */
  documents(): Promise<JudgedDocument[]>;
  weights(): Promise<CollectionWeights>;
  /** Stores weights of the collection's own, or removes them (null). */
  storeWeights(own: OwnWeights | null): Promise<void>;
  close(): Promise<void>;
}

/** Opens the collection of this name in the database of the service, which may run meanwhile. */
export async function openCollection(config: Config, readableId: string): Promise<Library> {
  const url = databaseUrl(config);
  if (databaseKind(url) === 'sqlite' && !existsSync(url))
    throw new Error(
      `${url} holds no database: give the data directory of the service with --data-dir`,
    );
  const database = openAt(url);
  try {
    await assertMigrated(database.db, database.kind);
    const found = await store.collectionsNamed(database.db, readableId);
    const [place, ...others] = found;
    if (!place) throw new Error(`collection '${readableId}' does not exist`);
    if (others.length > 0) throw new Error(`several organizations have a collection ${readableId}`);
    const library = libraryOf(config, place, { ...database, close: () => database.db.destroy() });
    const made = await store.embedderOf(database.db, place);
    if (made !== library.embedder)
      throw new Error(
        `the vectors of ${readableId} are made by ${made}, not by ${library.embedder}: set QUARRY_EMBEDDER as for the service`,
      );
    return library;
  } catch (error) {
    await database.db.destroy();
    throw error;
  }
}

/**
 * Makes a collection of these documents, which is removed when the library is closed. `done` is called with the number
 * of documents stored so far. The embedder is that of the settings, or the built-in one without them; no other setting
 * of a service has an effect.
 */
export async function openTemporary(
  documents: readonly JudgedDocument[],
  done: (documents: number) => void,
  settings?: Config,
): Promise<Library> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-eval-'));
  const config = { ...readConfig({ QUARRY_DATA_DIR: folder }), ...embedderOf(settings) };
  const database = openAt(databaseUrl(config));
  const close = async () => {
    await database.db.destroy();
    rmSync(folder, { recursive: true });
  };
  try {
    await migrate(database.db, database.kind);
    await fill({ config, database, log: SILENT }, documents, done);
    const [place] = await store.collectionsNamed(database.db, READABLE_ID);
    if (!place) throw new Error('the collection is gone');
    return libraryOf(config, place, { ...database, close });
  } catch (error) {
    await close();
    throw error;
  }
}

const embedderOf = (settings: Config | undefined): Partial<Config> =>
  settings === undefined
    ? {}
    : Object.fromEntries(
        (['QUARRY_EMBEDDER', ...EMBEDDER_SETTINGS, ...KEY_SETTINGS] as const).map((name) => [
          name,
          settings[name],
        ]),
      );

const openAt = (url: string): OpenDatabase => ({
  db: connect(url, { isSearched: true }),
  kind: databaseKind(url),
  url,
});

function libraryOf(
  config: Config,
  place: SearchedCollection,
  database: OpenDatabase & { readonly close: () => Promise<void> },
): Library {
  const { db } = database;
  const model = loadModel();
  const embedder = chooseEmbedder(config, model, createMetrics());
  const defaults = defaultWeights(embedder).rerank;
  const words = createWords(model);
  const chunks = createChunkCache();
  const index = chooseIndex(config, database, embedder);
  const depsOf = (weightsFor: WeightsFor): SearchDeps => ({
    db,
    index,
    embedder,
    words,
    weightsFor,
    llm: null,
    reranker: null,
    kept: createModelCache(),
    chunks,
  });
  const depsWith = (weights: RerankWeights) => depsOf(async () => weights);
  const { organizationId, collectionId } = place;
  const asker = { organizationId, collectionIds: [collectionId], principals: null };
  return {
    place,
    embedder: embedder.model,
    defaults,
    searchWith: (weights) => createSearch(depsWith(weights)),
    pageWith: (weights, body) =>
      rankedPage(depsWith(weights), {
        ...{ asker, body, filter: everything, signal: new AbortController().signal },
      }),
    agent: createAgent(depsOf(createWeightsFor(SILENT))),
    async documents() {
      const all: JudgedDocument[] = [];
      for await (const page of store.documents(db, place)) all.push(...page);
      return all;
    },
    weights: () => collectionWeights(db, place, defaults),
    storeWeights: (own) => store.setOwnWeights(db, place, own),
    async close() {
      await database.close();
    },
  };
}

/**
 * This file is the composition root: it wires one process from its configuration.
 *
 * With threads (the default) the worker role and the searches run in threads of their own, so that the API's event
 * loop is never blocked by a long statement. Without threads everything runs in this thread, on a database that the
 * caller may provide; programs that embed Quarry do this, and the tests.
 */
import { accessSync, constants, mkdirSync } from 'node:fs';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { createApi } from './api.ts';
import { createCollections } from './collections/service.ts';
import { type Config, transformerRuntimeOf } from './config.ts';
import { createConnections } from './connections/service.ts';
import { sealedWithAnotherKey } from './connections/store.ts';
import { connect, databaseKind, migrate, ping } from './db/connect.ts';
import { lockDataDir } from './db/lock.ts';
import { type WhyRefused, watchRefusal } from './db/refused-writes.ts';
import type { Schema } from './db/schema.ts';
import { explained, unavailableReason } from './db/unavailable.ts';
import { createExamine } from './doctor/examine.ts';
import { createMaintenance } from './doctor/service.ts';
import {
  chooseEmbedder,
  chooseIndex,
  chooseLlm,
  chooseReranker,
  databaseUrl,
  type OpenDatabase,
  prepareIndex,
} from './engines/choose.ts';
import { loadModel } from './engines/embedder/model-file.ts';
import { createWords } from './engines/embedder/words.ts';
import { createGrep } from './entities/contents/grep.ts';
import { createContents } from './entities/contents/service.ts';
import { createEntities } from './entities/service.ts';
import type { App } from './http/server.ts';
import { giveBackAll, takeOverAll } from './jobs/queue.ts';
import { createOAuth } from './mcp/oauth/resource.ts';
import { accountDirectory } from './organizations/account-store.ts';
import { ensureFirstOrganization } from './organizations/bootstrap.ts';
import { createApiKeys } from './organizations/key-service.ts';
import { keyDirectory } from './organizations/key-store.ts';
import { createOrganizations } from './organizations/service.ts';
import { createQuota } from './search/agent/quota.ts';
import { createAgent } from './search/agent/service.ts';
import { createChunkCache } from './search/chunk-cache.ts';
import { createFederated } from './search/federated/ask.ts';
import { createFilterJudge } from './search/filter-cost.ts';
import { createModelCache } from './search/llm/model-cache.ts';
import { createSearch } from './search/service.ts';
import { createVault, hasKeyFile, keyFileSecret } from './secrets.ts';
import { catalog } from './sources/catalog.ts';
import { type Source, syncMode } from './sources/define.ts';
import { createSourceEnvironment } from './sources/source-environment.ts';
import { createSyncs } from './syncs/service.ts';
import type { ThreadData } from './threads/protocol.ts';
import { startSearchThreads } from './threads/search-threads.ts';
import { superviseThread } from './threads/supervise.ts';
import { createTransformers } from './transformers/service.ts';
import { takeOverDeliveries } from './webhooks/deliver/queue-store.ts';
import { createWebhookMessages } from './webhooks/message-service.ts';
import { createWebhooks } from './webhooks/service.ts';
import * as subscriptions from './webhooks/store.ts';
import { runWorker } from './worker.ts';

export interface Quarry {
  /** The API does not listen yet: call `api.listen(…)`, or `api.inject(…)` to go without a port. */
  readonly api: App;
  /** It is true when this start has made the first organization. */
  readonly created: boolean;
  /** It is the key of the first organization, and null when an earlier start has made the organization. */
  readonly key: string | null;
  /** It tells the operator that QUARRY_API_KEY is set but opens nothing; it is null otherwise. */
  readonly keyFault: string | null;
  /** Waits for the work that has begun, then closes everything. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly log: Logger;
  readonly threads?: boolean;
  readonly sources?: ReadonlyMap<string, Source>;
  /** An open database replaces the one that the configuration names (only without threads). */
  readonly database?: OpenDatabase;
  /** The function is called when the process cannot go on. */
  readonly onFatal: (error: Error) => void;
}

const REFUSED_KEY =
  'QUARRY_API_KEY is not a valid key: it was revoked or rotated, has expired, or never was a key of this database. ' +
  'It has not been added. Use another key, or make one on this machine: quarry keys create';

export async function openQuarry(config: Config, options: OpenOptions): Promise<Quarry> {
  const { log } = options;
  const closing: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    return await open();
  } catch (error) {
    await close();
    throw explained(error);
  }

  async function open(): Promise<Quarry> {
    const embedded = !config.DATABASE_URL && !options.database;
    prepareDataDir(config.QUARRY_DATA_DIR);
    if (embedded) closing.push(lockDataDir(config.QUARRY_DATA_DIR));

    const database = options.database ?? connectTo(databaseUrl(config));
    const { db, kind } = database;
    if (!options.database) closing.push(() => db.destroy());
    await migrate(db, kind);
    // Only one process uses an embedded database, so every lease in it was held by a process that has ended.
    if (kind === 'sqlite') {
      await takeOverAll(db);
      await takeOverDeliveries(db);
    }

    const secret = config.QUARRY_ENCRYPTION_KEY ?? (await ownSecret(db, config.QUARRY_DATA_DIR));
    const vault = createVault(secret);
    await refuseForeignKey(db, vault.keyId);

    const model = loadModel();
    const embedder = chooseEmbedder(config, model);
    await prepareIndex(database, embedder, log);
    const index = chooseIndex(config, database, embedder);

    const sources = options.sources ?? catalog;
    const environment = createSourceEnvironment(config);
    const { send } = environment;
    const allowLoopback = config.QUARRY_ALLOW_LOOPBACK;
    const federated = [...sources.values()]
      .filter((source) => syncMode(source) === 'federated')
      .map(({ shortName }) => shortName);
    const data: ThreadData = { config, secret, model, federated, prettyLog: process.stderr.isTTY };
    const threaded = { data, log, onGivenUp: options.onFatal };
    const threads = options.threads ?? true;
    const wake = await startWorkerRole();
    const { search, agent, examine, grep } = await startSearchRole();

    const whyRefused = watchRefusal(db);
    const syncs = createSyncs({ db, wake, whyRefused });
    const transformers = createTransformers({ db, sources, runtime: transformerRuntimeOf(config) });
    const collections = createCollections({ db, embedder, index, syncs, sources });
    const connections = createConnections({
      db,
      collections,
      syncs,
      sources,
      environment,
      transformers,
      vault,
      log,
    });
    const webhooks = createWebhooks({ db, kind, vault, allowLoopback, wake });
    const api = createApi({
      log,
      keyDirectory: keyDirectory(db),
      unready: () => unready(db, whyRefused),
      organizations: createOrganizations({ db, kind, collections, webhooks, wake }),
      apiKeys: createApiKeys({ db, kind }),
      collections,
      connections,
      transformers,
      entities: createEntities({ db, collections }),
      contents: createContents({ db, kind, index, vault, collections, sources, grep }),
      syncs,
      maintenance: createMaintenance({ db, collections, sources, examine, wake }),
      sources,
      search,
      agent,
      quota: createQuota(db, kind),
      judgeFilter: createFilterJudge({ db }),
      oauth:
        config.oauth && createOAuth(config.oauth, { send, accounts: accountDirectory(db), log }),
      resultTokens: config.QUARRY_RESULT_TOKENS,
      webhooks,
      webhookMessages: createWebhookMessages({ db, kind, wake }),
    });
    closing.push(() => api.close());
    // The key is made last: if a later step failed, the operator would never see the new key.
    const first = await ensureFirstOrganization(db, { apiKey: config.QUARRY_API_KEY });
    const keyFault = first.isKeyRefused ? REFUSED_KEY : null;
    if (keyFault) log.warn(keyFault);
    return { api, created: first.created, key: first.key, keyFault, close };

    async function startWorkerRole(): Promise<() => void> {
      if (!config.QUARRY_ROLES.includes('worker')) return () => {};
      if (!threads) {
        const worker = await runWorker({
          db,
          kind,
          index,
          embedder,
          vault,
          sources,
          environment,
          transformerRuntime: transformerRuntimeOf(config),
          allowLoopback,
          historyDays: config.QUARRY_HISTORY_DAYS,
          log,
        });
        closing.push(() => worker.stop());
        return () => worker.wake();
      }
      const onDeath = async () => {
        if (kind !== 'sqlite') return;
        await giveBackAll(db, kind);
        await takeOverDeliveries(db);
      };
      const thread = superviseThread({ ...threaded, entry: 'worker-thread', onDeath });
      closing.push(() => thread.stop());
      return () => {
        thread.send('wake');
      };
    }

    async function startSearchRole() {
      if (!threads) {
        const llm = await chooseLlm(config, log);
        const searching = {
          db,
          index,
          embedder,
          words: createWords(model),
          llm,
          reranker: chooseReranker(config),
          kept: createModelCache(),
          chunks: createChunkCache(),
          federated: createFederated({ db, sources, vault, environment, log }),
        };
        return {
          search: createSearch(searching),
          agent: createAgent(searching),
          examine: createExamine({ db, kind, index, embedder }),
          grep: createGrep({ db, vault }),
        };
      }
      const searching = startSearchThreads({ ...threaded, most: config.QUARRY_SEARCH_THREADS });
      closing.push(() => searching.stop());
      return searching;
    }
  }
}

const connectTo = (url: string): OpenDatabase => ({
  db: connect(url),
  kind: databaseKind(url),
  url,
});

/** Throws an Error with a sentence when the directory cannot be made or written. */
function prepareDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new Error(
      `the data directory ${path} cannot be used (${(error as Error).message}): choose another with --data-dir`,
      { cause: error },
    );
  }
}

/** Lists what keeps the service from serving right now. */
async function unready(db: Kysely<Schema>, whyRefused: WhyRefused): Promise<readonly string[]> {
  try {
    await ping(db);
    const refused = await whyRefused();
    return refused === null ? [] : [refused];
  } catch (error) {
    return [unavailableReason(error) ?? 'the database does not answer'];
  }
}

/** Refuses to make a key in place of a lost one: it would open nothing, and look like the missing key. */
async function ownSecret(db: Kysely<Schema>, dataDir: string): Promise<string> {
  if (!hasKeyFile(dataDir)) await refuseForeignKey(db, '');
  return keyFileSecret(dataDir);
}

/** Throws when a stored value is sealed with another key, because it would only be found unreadable later. */
async function refuseForeignKey(db: Kysely<Schema>, keyId: string): Promise<void> {
  const isForeign =
    (await sealedWithAnotherKey(db, keyId)) ||
    (await subscriptions.sealedWithAnotherKey(db, keyId));
  if (isForeign)
    throw new Error(
      'the encryption key is not the one that the stored credentials and signing secrets were sealed with: restore encryption.key, or set QUARRY_ENCRYPTION_KEY to the old key',
    );
}

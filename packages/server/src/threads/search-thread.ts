/** This is the entry of the search thread, which answers searches on a database connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { databaseUrl } from '../db/address.ts';
import { connect, databaseKind } from '../db/connect.ts';
import { createExamine } from '../doctor/examine.ts';
import { chooseEmbedder, chooseIndex, chooseLlm, chooseReranker } from '../engines/choose.ts';
import { createWords } from '../engines/embedder/words.ts';
import { createGrep } from '../entities/contents/grep.ts';
import type { AgenticStep } from '../search/agent/schema.ts';
import { createChunkCache } from '../search/chunk-cache.ts';
import type { Federated } from '../search/federated/ask.ts';
import { createModelCache } from '../search/llm/model-cache.ts';
import { createWeightsFor } from '../search/own-weights.ts';
import type { SearchDeps } from '../search/service.ts';
import { createVault } from '../secrets.ts';
import { createTokenKeeper } from '../sign-in/keeper.ts';
import { measureEventLoop } from '../telemetry/event-loop.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { openTracer } from '../telemetry/open-tracer.ts';
import { reportMetrics } from '../telemetry/thread-metrics.ts';
import { poolSizes } from '../thread-settings.ts';
import { must } from '../util.ts';
import { toCarried } from './carried-error.ts';
import { followedSearching } from './follow-search.ts';
import { measuredSearching, measuredStages, showIndexMemory } from './measure-search.ts';
import type { SearchCall, SearchReply, ThreadAnswer, ThreadData } from './protocol.ts';
import { storeCopies } from './store-copies.ts';
import { createThreadLog } from './thread-log.ts';

const data = workerData as ThreadData;
const { config, secret, model, federated } = data;
const port = must(parentPort, 'this file is the entry of a thread');
const url = databaseUrl(config);
const kind = databaseKind(url);
const db = connect(url, { isSearched: true, poolSize: poolSizes(config).search });
const metrics = createMetrics();
const embedder = chooseEmbedder(config, model, metrics);
const index = chooseIndex(config, { kind }, embedder);
const log = createThreadLog(data, port);
if (config.QUARRY_METRICS_PORT !== undefined) measureEventLoop(metrics, 'search');
showIndexMemory(metrics, index, config.QUARRY_INDEX_MEMORY_MB);
const tracer = await openTracer(config.traces, { metrics, log });
const reporting = reportMetrics(data.metricsPort, metrics, { log });
let loaded: Promise<{ federated: Federated; close: () => Promise<void> }> | undefined;
const deps: SearchDeps = {
  db,
  index,
  embedder,
  words: createWords(model),
  llm: await chooseLlm(config, log, metrics),
  reranker: chooseReranker(config, metrics),
  kept: createModelCache(),
  chunks: createChunkCache(),
  weightsFor: createWeightsFor(log),
  federated: { ask } satisfies Federated,
};
const vault = createVault(secret, config.QUARRY_OTHER_ENCRYPTION_KEY);
const keeper = createTokenKeeper({ db, kind, vault, log });
const measured = measuredStages(deps, metrics);
const { search, agent, examine, grep } = measuredSearching(
  followedSearching(
    {
      deps: measured,
      examine: createExamine({ db, kind, index, embedder }),
      grep: createGrep({ db, kind, vault }),
    },
    { tracer, log },
  ),
  metrics,
);

/** The code of the sources and of their network access is loaded by the first search that asks a federated source. */
async function ask(...[question, signal]: Parameters<Federated['ask']>) {
  const isAsked = question.connections.some(({ short_name }) => federated.includes(short_name));
  if (!isAsked) return { rows: [], sources: [] };
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return (await loaded).federated.ask(question, signal);
}

async function load() {
  const { createFederated } = await import('../search/federated/ask.ts');
  const { catalog } = await import('../sources/catalog.ts');
  const { createRateLimiter } = await import('../rate-limits/limiter.ts');
  const { applySourcesFile } = await import('../sources/operator.ts');
  const { createSourceEnvironment } = await import('../sources/source-environment.ts');
  const sources = applySourcesFile(catalog, config.sourcesFile);
  const { measuredLimiter } = await import('../rate-limits/measure.ts');
  const rateLimiter = measuredLimiter(createRateLimiter({ db, kind, url, sources }), metrics);
  const federated = createFederated({
    db,
    sources,
    vault,
    environment: createSourceEnvironment(config),
    keeper,
    rateLimiter,
    log,
  });
  return { federated, close: rateLimiter.close };
}

const running = new Map<number, AbortController>();
const closing = new AbortController();

port.postMessage('ready' satisfies SearchReply);
void prepare();
port.on('message', async (message: SearchCall | 'stop') => {
  if (message === 'stop') {
    closing.abort();
    await keeper.settled();
    await (await loaded)?.close();
    await tracer.close();
    await reporting.flush();
    await db.destroy();
    port.close();
    return;
  }
  if ('cancel' in message) {
    running.get(message.cancel)?.abort();
    return;
  }
  const { id } = message;
  const controller = new AbortController();
  running.set(id, controller);
  const reply: SearchReply = await answerOf(message, controller.signal).then<
    SearchReply,
    SearchReply
  >(
    (answer) => ({ id, answer }),
    (error: unknown) => ({ id, error: toCarried(error) }),
  );
  running.delete(id);
  port.postMessage(reply);
});

async function prepare(): Promise<void> {
  const { signal } = closing;
  const readsCollections = data.isWarmed === true;
  try {
    if (readsCollections) await index.warm(db, signal);
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'collections were not read before the first search');
  }
  if (data.keepsSegments) await storeCopies({ db, index, log }, { signal, readsCollections });
}

function answerOf(
  call: Exclude<SearchCall, { cancel: number }>,
  signal: AbortSignal,
): Promise<ThreadAnswer> {
  if ('examine' in call) return examine(call.examine, signal);
  if ('grep' in call) return grep(call.grep, signal);
  if ('request' in call) return search.search(call.request, signal);
  const tell = (step: AgenticStep) => port.postMessage({ id: call.id, step } satisfies SearchReply);
  return agent.run(call.agentic, tell, signal);
}

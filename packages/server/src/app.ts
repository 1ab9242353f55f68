/**
 * This file is the composition root: it wires one process from its configuration. `process-roles.ts` starts its worker
 * and its searches.
 */
import type { Logger } from 'pino';
import { createAccounts } from './accounts/accounts.ts';
import { linkOfStart, type StartLink } from './accounts/start-link.ts';
import { type ApiDeps, createApi } from './api.ts';
import { createAuditLog } from './audit/service.ts';
import { createAuthProviders } from './auth-providers/service.ts';
import { createBackups } from './backups/service.ts';
import { createCollections } from './collections/service.ts';
import { type Config, publicOriginOf, transformerRuntimeOf } from './config.ts';
import { createConnections } from './connections/service.ts';
import { watchRefusal } from './db/refused-writes.ts';
import { explained } from './db/unavailable.ts';
import { whyUnready } from './db/unready.ts';
import { createDoctor } from './doctor/service.ts';
import { openVault } from './encryption/keys.ts';
import {
  chooseEmbedder,
  chooseIndex,
  indexFormsOf,
  type OpenDatabase,
  prepareIndex,
} from './engines/choose.ts';
import { loadModel } from './engines/embedder/model-file.ts';
import { createContents } from './entities/contents/service.ts';
import { createEntities } from './entities/service.ts';
import { openCertificate, type ServedCertificate } from './http/certificate.ts';
import type { App } from './http/server.ts';
import { createOAuth } from './mcp/oauth/resource.ts';
import { createSmtp } from './net/smtp.ts';
import { openDatabase } from './open-database.ts';
import { openTelemetry, operationsOf } from './operations.ts';
import { accountDirectory } from './organizations/account-store.ts';
import { ensureFirstOrganization, type First, OWNER } from './organizations/bootstrap.ts';
import { createApiKeys } from './organizations/key-service.ts';
import { keyDirectory } from './organizations/key-store.ts';
import { createOrganizations } from './organizations/service.ts';
import {
  type Closing,
  closeAll,
  type ProcessParts,
  type ProcessRoles,
  type ProcessThreads,
  startPushRole,
  startSearchRole,
  startWorkerRole,
} from './process-roles.ts';
import { createRateLimiter } from './rate-limits/limiter.ts';
import { measuredLimiter } from './rate-limits/measure.ts';
import { createRateLimits } from './rate-limits/service.ts';
import { createQuota } from './search/agent/quota.ts';
import { createFilterCostCheck } from './search/filter-cost.ts';
import { createBrowserSignIn } from './sign-in/browser/flow.ts';
import { createSignInLinks } from './sign-in/browser/links.ts';
import { createTokenKeeper } from './sign-in/keeper.ts';
import { forgetProviderCredentials } from './sign-in/token-store.ts';
import { catalog } from './sources/catalog.ts';
import type { Source } from './sources/define.ts';
import { applySourcesFile } from './sources/operator.ts';
import { createSourceEnvironment } from './sources/source-environment.ts';
import { createSyncs } from './syncs/service.ts';
import { systemFacts } from './system/facts.ts';
import { createSystem } from './system/service.ts';
import { openTracer } from './telemetry/open-tracer.ts';
import { createTransformers } from './transformers/service.ts';
import { createUsageCounter } from './usage/counter.ts';
import { createWebhookMessages } from './webhooks/message-service.ts';
import { createWebhooks } from './webhooks/service.ts';

export interface QuarryProcess {
  /** The API does not listen yet: call `api.listen(…)`, or send requests to it without a port by `api.inject(…)`. */
  readonly api: App;
  /** It serves metrics and health on a port of its own. It is null without QUARRY_METRICS_PORT, and does not listen yet. */
  readonly operations: App | null;
  /** It is true when this start has made the first organization. */
  readonly created: boolean;
  /** It is the key of the first organization, and null when an earlier start has made the organization. */
  readonly key: string | null;
  /** This message tells the operator that QUARRY_API_KEY is set but is not a valid key; it is null otherwise. */
  readonly keyFault: string | null;
  /** It is null when the API speaks plain HTTP, and in a process without it. */
  readonly certificate: Pick<ServedCertificate, 'look'> | null;
  /**
   * Makes the link by which the owner signs in once. Returns null when this start makes none. Call it when the API
   * listens, because the link has its port. Throws an error with a message for users when the database takes no writes.
   */
  startLink(): Promise<StartLink | null>;
  /** Makes its worker look for jobs at once. The worker finds them without this call too, but a little later. */
  wake(): void;
  /** Waits for the work that has begun, then closes everything. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly log: Logger;
  readonly threads?: ProcessThreads;
  readonly sources?: ReadonlyMap<string, Source>;
  /** An open database replaces the one that the configuration names (only without threads). */
  readonly database?: OpenDatabase;
  /** The function is called when the process cannot go on. */
  readonly onFatal: (error: Error) => void;
}

const REFUSED_KEY =
  'QUARRY_API_KEY is not a valid key: it was revoked or rotated, has expired, or never was a key of this database. ' +
  'It has not been added. Use another key, or make one on this machine: quarry keys create';

const NOTHING_MADE: First = { created: false, key: null, isKeyRefused: false };

export async function openProcess(config: Config, options: OpenOptions): Promise<QuarryProcess> {
  const closing: Closing = [];
  const close = () => closeAll(closing, options.log);
  try {
    const parts = await openParts(config, options, closing);
    const wake = await startWorkerRole(parts);
    const origin = () => publicOriginOf(config, portOf(api));
    const roles = { wake, storePush: startPushRole(parts), ...(await startSearchRole(parts)) };
    const api = createApi(apiParts(parts, { ...roles, origin }));
    closing.push(() => api.close());
    const operations = operationsOf(parts);
    if (operations) closing.push(() => operations.close());
    // The key is made last: if a later step failed, the operator would never see the new key. A process without the API
    // makes none, because it prints no link by which the owner could sign in.
    const first = config.QUARRY_ROLES.includes('api')
      ? await ensureFirstOrganization(parts.db, { apiKey: config.QUARRY_API_KEY })
      : NOTHING_MADE;
    const keyFault = first.isKeyRefused ? REFUSED_KEY : null;
    if (keyFault) options.log.warn(keyFault);
    return {
      ...{ api, operations, created: first.created, key: first.key, keyFault, wake, close },
      certificate: parts.certificate,
      startLink: () =>
        linkOfStart(parts.db, {
          ...{ email: OWNER, origin: origin(), isFirst: first.created },
          ...{ isEmbedded: parts.kind === 'sqlite', isReachable: config.isReachable },
        }),
    };
  } catch (error) {
    // Errors of the close are in the log. The caller gets the error that keeps the process from starting.
    await Promise.allSettled([close()]);
    throw explained(error);
  }
}

/** Opens the database and everything that the API and the roles share. */
async function openParts(
  config: Config,
  options: OpenOptions,
  closing: Closing,
): Promise<ProcessParts> {
  const { log, onFatal } = options;
  const certificate = certificateOf(config, log);
  if (certificate) closing.push(() => certificate.close());
  const database = await openDatabase(config, options, closing);
  const { db, kind, url } = database;
  const telemetry = openTelemetry(database, config, certificate);
  const tracer = await openTracer(config.traces, { metrics: telemetry.metrics, log });
  closing.push(() => tracer.close());
  const { vault, secret } = await openVault(db, config);
  const keeper = createTokenKeeper({ db, kind, vault, log });
  closing.push(() => keeper.settled());
  const model = loadModel();
  const embedder = chooseEmbedder(config, model, telemetry.metrics);
  await prepareIndex(database, embedder, log);
  const sources = applySourcesFile(options.sources ?? catalog, config.sourcesFile);
  const counted = createRateLimiter({ db, kind, url, sources });
  const rateLimiter = measuredLimiter(counted, telemetry.metrics);
  closing.push(() => rateLimiter.close());
  return {
    config,
    log,
    onFatal,
    certificate,
    ...database,
    secret,
    vault,
    model,
    embedder,
    index: chooseIndex(config, database, embedder),
    sources,
    environment: createSourceEnvironment(config),
    keeper,
    rateLimiter,
    ...telemetry,
    tracer,
    threads: options.threads ?? true,
    closing,
  };
}

/** Only the API listens for others, so a worker needs no certificate. */
const certificateOf = ({ tls, QUARRY_ROLES }: Config, log: Logger): ServedCertificate | null =>
  tls && QUARRY_ROLES.includes('api') ? openCertificate(tls, { log }) : null;

/** Makes the services that the routes of the API call. */
function apiParts(
  parts: ProcessParts,
  { wake, storePush, origin, ...searching }: ProcessRoles & { readonly origin: () => string },
): ApiDeps {
  const { config, db, kind, index, embedder, sources, environment, vault, log, metrics } = parts;
  const whyRefused = watchRefusal(db);
  const unready = whyUnready(db, whyRefused);
  const syncs = createSyncs({ db, wake, whyRefused });
  const transformers = createTransformers({ db, sources, runtime: transformerRuntimeOf(config) });
  const collections = createCollections({ db, embedder, index, syncs, sources });
  const links = createSignInLinks({ kind, origin });
  const authProviders = createAuthProviders({
    db,
    vault,
    send: environment.sendToProvider,
    forgetProviderCredentials,
  });
  const connections = createConnections({
    ...parts,
    collections,
    authProviders,
    syncs,
    transformers,
    links,
    storePush,
  });
  const { signedIn } = connections;
  const allowLoopback = config.QUARRY_ALLOW_LOOPBACK;
  const webhooks = createWebhooks({ db, kind, vault, allowLoopback, wake });
  const { search, agent, examine, grep, places } = searching;
  const { send } = environment;
  return {
    log,
    keyDirectory: keyDirectory(db),
    metrics,
    tracer: parts.tracer,
    unready,
    problems: parts.problems,
    organizations: createOrganizations({ db, kind, collections, webhooks, wake }),
    apiKeys: createApiKeys({ db, kind }),
    rateLimits: createRateLimits({ db, sources }),
    authProviders,
    collections,
    connections,
    accounts: createAccounts({
      ...{ db, kind, origin, log, send, issuer: config.issuerSignIn },
      sendMail: config.mail && createSmtp(config.mail),
    }),
    auditLog: createAuditLog(db),
    backups: createBackups({
      ...{ db, kind, plan: config.backups, wake },
      operatorKey: config.QUARRY_OPERATOR_KEY,
      isSingleUser: config.singleUser,
    }),
    browserSignIn: { signIn: createBrowserSignIn({ ...parts, links, signedIn, wake }), origin },
    transformers,
    entities: createEntities({ db, collections }),
    contents: createContents({ db, kind, index, vault, collections, sources, grep }),
    syncs,
    doctor: createDoctor({ db, collections, sources, examine, wake }),
    system: createSystem({
      ...{ db, kind, unready, ...systemFacts(config, embedder) },
      indexForms: () => indexFormsOf({ db, kind }),
    }),
    sources,
    redirectUri: links.callback,
    ...{ search, agent, searchPlaces: places, searchesPerKey: config.QUARRY_KEY_SEARCHES },
    pushesPerKey: config.QUARRY_KEY_PUSHES,
    quota: createQuota(db, kind),
    checkFilterCost: createFilterCostCheck({ db }),
    usage: createUsageCounter({ db, kind, log }),
    oauth: config.oauth && createOAuth(config.oauth, { send, accounts: accountDirectory(db), log }),
    resultTokens: config.QUARRY_RESULT_TOKENS,
    ...(config.QUARRY_PUBLIC_URL !== undefined && { publicOrigin: publicOriginOf(config) }),
    trustedProxies: config.QUARRY_TRUSTED_PROXIES,
    corsOrigins: config.QUARRY_CORS_ORIGINS,
    certificate: parts.certificate,
    webhooks,
    webhookMessages: createWebhookMessages({ db, kind, wake }),
  };
}

/** Returns undefined while the API does not listen. */
function portOf(api: App): number | undefined {
  const listening = api.server.address();
  return typeof listening === 'object' ? listening?.port : undefined;
}

/** Runs the whole API in this process, without a worker and without a port, on a test database. */
import type { Kysely } from 'kysely';
import pino, { type Logger } from 'pino';
import { createAccounts } from '../../accounts/accounts.ts';
import { createApi } from '../../api.ts';
import { createAuditLog } from '../../audit/service.ts';
import type { BackupPlan } from '../../backup-settings.ts';
import { createBackups } from '../../backups/service.ts';
import { createCollections } from '../../collections/service.ts';
import { createConnections } from '../../connections/service.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import { watchRefusal } from '../../db/refused-writes.ts';
import type { Schema } from '../../db/schema.ts';
import { createExamine } from '../../doctor/examine.ts';
import { createDoctor } from '../../doctor/service.ts';
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import { createExactIndex } from '../../engines/index/exact.ts';
import { createGrep } from '../../entities/contents/grep.ts';
import { createContents } from '../../entities/contents/service.ts';
import { createEntities } from '../../entities/service.ts';
import { createOAuth } from '../../mcp/oauth/resource.ts';
import { sha256 } from '../../model/hash.ts';
import type { Role } from '../../model/role.ts';
import type { SendMail } from '../../net/smtp.ts';
import type { IssuerSignInSettings, OAuthSettings } from '../../oauth-settings.ts';
import { accountDirectory } from '../../organizations/account-store.ts';
import { ensureFirstOrganization } from '../../organizations/bootstrap.ts';
import type { NewApiKey } from '../../organizations/key-schema.ts';
import { createApiKeys } from '../../organizations/key-service.ts';
import { keyDirectory } from '../../organizations/key-store.ts';
import { makeKey } from '../../organizations/make-key.ts';
import { createOrganizations } from '../../organizations/service.ts';
import { createRateLimiter } from '../../rate-limits/limiter.ts';
import { createRateLimits } from '../../rate-limits/service.ts';
import { createQuota } from '../../search/agent/quota.ts';
import { createAgent } from '../../search/agent/service.ts';
import { createFilterCostCheck } from '../../search/filter-cost.ts';
import { createSearch } from '../../search/service.ts';
import { createVault } from '../../secrets.ts';
import { createBrowserSignIn } from '../../sign-in/browser/flow.ts';
import { createSignInLinks } from '../../sign-in/browser/links.ts';
import { catalog } from '../../sources/catalog.ts';
import { createPushIntake } from '../../syncs/pushes/intake.ts';
import { createSyncs, type StorePush } from '../../syncs/service.ts';
import { createSystem } from '../../system/service.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { createTransformers } from '../../transformers/service.ts';
import { createUsageCounter } from '../../usage/counter.ts';
import { must, newId } from '../../util.ts';
import { createWebhookMessages } from '../../webhooks/message-service.ts';
import { createWebhooks } from '../../webhooks/service.ts';
import { anywhere, authProvidersOf, noModules } from '../environment.ts';
import { caller } from '../inject.ts';
import { keeperOf } from '../keeper.ts';
import { searchDeps } from '../search/deps.ts';
import { insertOrganization } from './rows.ts';

/** A key stands for an account and an organization. */
export interface Caller {
  readonly key: string;
  readonly email: string;
  readonly userId: string;
  readonly organizationId: string;
}

export type TestApi = Awaited<ReturnType<typeof openTestApi>>;

const embedder = createBuiltinEmbedder();
/** No test of the API makes a backup here. */
const EMPTY_FOLDER: BackupPlan = { folder: '/nonexistent', everyMs: null, keep: 7 };

/** Builds the API from its parts, for tests that replace one of them. */
export function buildApi(
  { db, kind }: { db: Kysely<Schema>; kind: DatabaseKind },
  options: {
    log?: Logger;
    unready?: () => Promise<readonly string[]>;
    oauth?: OAuthSettings;
    issuerSignIn?: IssuerSignInSettings;
    sendMail?: SendMail;
    resultTokens?: number;
    /** Browsers reach the service at this origin. */
    origin?: string;
    trustedProxies?: readonly string[];
    corsOrigins?: readonly string[];
    operatorKey?: string;
    backups?: BackupPlan | null;
    isSingleUser?: boolean;
    /** Runs each search, agentic search and grep, for tests that decide when these go on. */
    around?: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
    /** Makes another function of the one that stores pushes. */
    storing?: (store: StorePush) => StorePush;
  } = {},
) {
  const { log = pino({ level: 'silent' }), around = (work) => work() } = options;
  const storePush = createPushIntake(db, kind);
  const index = createExactIndex({ kind, dimensions: embedder.dimensions });
  const searching = searchDeps({ db, index, embedder });
  const vault = createVault('a secret of the tests, long enough');
  const wake = () => {};
  const syncs = createSyncs({ db, wake, whyRefused: watchRefusal(db) });
  const transformers = createTransformers({ db, sources: catalog, runtime: noModules });
  const collections = createCollections({ db, embedder, index, syncs, sources: catalog });
  const keeper = keeperOf({ db, kind, vault });
  const origin = () => options.origin ?? 'http://localhost';
  const links = createSignInLinks({ kind, origin });
  const rateLimiter = createRateLimiter({ db, kind, url: null, sources: catalog });
  const authProviders = authProvidersOf({ db, vault });
  const connections = createConnections({
    db,
    kind,
    keeper,
    links,
    collections,
    authProviders,
    syncs,
    sources: catalog,
    environment: anywhere,
    rateLimiter,
    transformers,
    vault,
    log,
    storePush: options.storing?.(storePush) ?? storePush,
  });
  const { signedIn } = connections;
  const signingIn = {
    ...{ db, kind, vault, sources: catalog, environment: anywhere, rateLimiter },
    ...{ links, signedIn, wake, log },
  };
  const webhooks = createWebhooks({ db, kind, vault, allowLoopback: false, wake });
  const { search } = createSearch(searching);
  const { run } = createAgent(searching);
  const grep = createGrep({ db, kind, vault });
  return createApi({
    log,
    metrics: createMetrics(),
    keyDirectory: keyDirectory(db),
    unready: options.unready ?? (async () => []),
    problems: async () => [],
    organizations: createOrganizations({ db, kind, collections, webhooks, wake }),
    apiKeys: createApiKeys({ db, kind }),
    rateLimits: createRateLimits({ db, sources: catalog }),
    authProviders,
    collections,
    entities: createEntities({ db, collections }),
    contents: createContents({
      ...{ db, kind, index, vault, collections, sources: catalog },
      grep: (request, signal) => around(() => grep(request, signal), signal),
    }),
    connections,
    accounts: createAccounts({
      ...{ db, kind, origin, log },
      send: anywhere.send,
      issuer: options.issuerSignIn ?? null,
      sendMail: options.sendMail ?? null,
    }),
    auditLog: createAuditLog(db),
    backups: createBackups({
      ...{ db, kind, wake, operatorKey: options.operatorKey },
      plan: options.backups === undefined ? EMPTY_FOLDER : options.backups,
      isSingleUser: options.isSingleUser ?? true,
    }),
    browserSignIn: { signIn: createBrowserSignIn(signingIn), origin },
    redirectUri: links.callback,
    transformers,
    syncs,
    doctor: createDoctor({
      db,
      collections,
      sources: catalog,
      examine: createExamine({ db, kind, index, embedder }),
      wake,
    }),
    system: createSystem({
      ...{
        db,
        kind,
        version: '0.0.0',
        commandLine: 'quarry',
        roles: ['api'],
        unready: async () => [],
      },
      models: {
        embedder: { model: embedder.model, is_built_in: true, dimensions: embedder.dimensions },
        reranker: { model: 'builtin', is_built_in: true },
        language_models: [],
      },
      memory: { index_budget_bytes: 2 ** 20, max_search_threads: 1 },
      indexForms: async () => ({ words: 'memory', vectors: 'scan' }),
    }),
    search: { search: (request, signal) => around(() => search(request, signal), signal) },
    agent: { run: (request, tell, signal) => around(() => run(request, tell, signal), signal) },
    searchPlaces: () => 12,
    searchesPerKey: 8,
    pushesPerKey: 32,
    quota: createQuota(db, kind),
    checkFilterCost: createFilterCostCheck({ db }),
    usage: createUsageCounter({ db, kind, log }),
    webhooks,
    webhookMessages: createWebhookMessages({ db, kind, wake }),
    sources: catalog,
    oauth: options.oauth
      ? createOAuth(options.oauth, { send: anywhere.send, accounts: accountDirectory(db), log })
      : null,
    resultTokens: options.resultTokens ?? 8_000,
    trustedProxies: options.trustedProxies ?? [],
    corsOrigins: options.corsOrigins ?? [],
    certificate: null,
  });
}

export async function openTestApi(
  database: { db: Kysely<Schema>; kind: DatabaseKind; close(): Promise<void> },
  options: Parameters<typeof buildApi>[1] = {},
) {
  const { db } = database;
  const api = buildApi(database, options);
  const adminKey = must((await ensureFirstOrganization(db, {})).key);

  const call = caller(api, adminKey);

  /** Makes a key of the first organization through the API. */
  async function keyOf(role: Role, more: Partial<NewApiKey> = {}): Promise<string> {
    const input = { name: `a ${role} key`, role, ...more };
    const { body } = await call('POST', '/v1/api-keys', { body: input });
    return must(body.key, JSON.stringify(body));
  }

  /** Makes another account with an organization of its own and an admin key. */
  async function stranger(
    role: Role = 'admin',
    { allOrganizations = false } = {},
  ): Promise<Caller> {
    const now = Date.now();
    const { key, hash } = makeKey();
    const [userId, organizationId] = [newId(), newId()];
    const email = `${userId}@example.com`;
    const user = { id: userId, email, name: null, created_at: now };
    await db.insertInto('users').values(user).execute();
    await insertOrganization(db, organizationId, { created_at: now });
    await join(userId, organizationId, role);
    await db
      .insertInto('api_keys')
      .values({
        id: newId(),
        organization_id: organizationId,
        user_id: userId,
        name: 'theirs',
        role: 'admin',
        all_organizations: allOrganizations,
        hash,
        created_at: now,
      })
      .execute();
    return { key, email, userId, organizationId };
  }

  /** Makes another organization of the owner's account, and an admin key of that organization alone. */
  async function sibling(): Promise<Caller> {
    const { body: made } = await call('POST', '/v1/organizations', { body: { name: 'Sibling' } });
    const headers = { 'x-organization-id': made.id };
    const body = { name: 'of the sibling', role: 'admin' };
    const { key } = (await call('POST', '/v1/api-keys', { body, headers })).body;
    return { ...(await owner()), key, organizationId: made.id };
  }

  /** Makes the account a member of the organization. */
  async function join(userId: string, organizationId: string, role: Role): Promise<void> {
    const membership = { organization_id: organizationId, user_id: userId, role };
    await db
      .insertInto('memberships')
      .values({ ...membership, created_at: Date.now() })
      .execute();
  }

  /** Returns the organization and the account of the admin key. */
  async function owner(): Promise<Caller> {
    const row = await db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.user_id')
      .select(['users.email', 'api_keys.user_id', 'api_keys.organization_id'])
      .where('api_keys.hash', '=', sha256(adminKey))
      .executeTakeFirstOrThrow();
    const { email, user_id: userId, organization_id: organizationId } = row;
    return { key: adminKey, email, userId, organizationId };
  }

  return {
    db,
    kind: database.kind,
    api,
    adminKey,
    call,
    keyOf,
    stranger,
    sibling,
    join,
    owner,
    async close() {
      await api.close();
      await database.close();
    },
  };
}

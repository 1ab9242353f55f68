/** Defines all routes of the API over services that already exist; `app.ts` wires the process. */
import type { Logger } from 'pino';
import type { Accounts } from './accounts/accounts.ts';
import { issuerRoutes } from './accounts/issuer-routes.ts';
import { memberRoutes } from './accounts/member-routes.ts';
import { sessionRoutes } from './accounts/session-routes.ts';
import { auditRoutes } from './audit/routes.ts';
import type { AuditLog } from './audit/service.ts';
import { authProviderRoutes } from './auth-providers/routes.ts';
import type { AuthProviders } from './auth-providers/service.ts';
import { backupRoutes } from './backups/routes.ts';
import type { Backups } from './backups/service.ts';
import { collectionRoutes } from './collections/routes.ts';
import type { Collections } from './collections/service.ts';
import { connectionJobRoutes } from './connections/job-routes.ts';
import { optionsRoutes } from './connections/options-routes.ts';
import { connectionRoutes } from './connections/routes.ts';
import type { Connections } from './connections/service.ts';
import { unavailableReason } from './db/unavailable.ts';
import { doctorRoutes } from './doctor/routes.ts';
import type { Doctor } from './doctor/service.ts';
import { contentRoutes } from './entities/contents/routes.ts';
import type { Contents } from './entities/contents/service.ts';
import { entityRoutes } from './entities/routes.ts';
import type { Entities } from './entities/service.ts';
import { createAuthentication, type KeyDirectory } from './http/auth.ts';
import type { ServedCertificate } from './http/certificate.ts';
import { createFairQueue } from './http/fair-queue.ts';
import { type HealthDeps, healthRoutes } from './http/health.ts';
import { measureRequests } from './http/measure-requests.ts';
import { type App, createServer } from './http/server.ts';
import type { OAuth } from './mcp/oauth/resource.ts';
import { toolServerRoutes } from './mcp/routes.ts';
import { apiKeyRoutes } from './organizations/key-routes.ts';
import type { ApiKeys } from './organizations/key-service.ts';
import { organizationRoutes } from './organizations/routes.ts';
import type { Organizations } from './organizations/service.ts';
import { rateLimitRoutes } from './rate-limits/routes.ts';
import type { RateLimits } from './rate-limits/service.ts';
import type { Quota } from './search/agent/quota.ts';
import { agenticRoutes } from './search/agent/routes.ts';
import type { Agent } from './search/agent/service.ts';
import type { CheckFilterCost } from './search/filter-cost.ts';
import { SEARCH_DEADLINE_MS, searchRoutes } from './search/routes.ts';
import type { Search } from './search/service.ts';
import { type BrowserRoutes, browserSignInRoutes } from './sign-in/browser/routes.ts';
import type { Source } from './sources/define.ts';
import { sourceRoutes } from './sources/routes.ts';
import { syncRoutes } from './syncs/routes.ts';
import type { Syncs } from './syncs/service.ts';
import { systemRoutes } from './system/routes.ts';
import type { System } from './system/service.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Tracer } from './telemetry/trace.ts';
import { transformerRoutes } from './transformers/routes.ts';
import type { Transformers } from './transformers/service.ts';
import type { UsageCounter } from './usage/counter.ts';
import { webhookMessageRoutes } from './webhooks/message-routes.ts';
import type { WebhookMessages } from './webhooks/message-service.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { Webhooks } from './webhooks/service.ts';

export interface ApiDeps extends HealthDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** When this is missing, requests are not traced. */
  readonly tracer?: Tracer;
  readonly keyDirectory: KeyDirectory;
  readonly organizations: Organizations;
  readonly apiKeys: ApiKeys;
  readonly rateLimits: RateLimits;
  readonly authProviders: AuthProviders;
  readonly collections: Collections;
  readonly entities: Entities;
  readonly contents: Contents;
  readonly connections: Connections;
  readonly accounts: Accounts;
  readonly auditLog: AuditLog;
  readonly backups: Backups;
  readonly browserSignIn: BrowserRoutes;
  readonly transformers: Transformers;
  readonly syncs: Syncs;
  readonly doctor: Doctor;
  readonly system: System;
  readonly search: Search;
  readonly agent: Agent;
  /** Returns how many searches and agentic searches of all callers may run now. */
  readonly searchPlaces: () => number;
  /** One key, or person who has signed in, may have this many searches running at once. */
  readonly searchesPerKey: number;
  /** One key, or person who has signed in, may have this many pushes being stored at once. */
  readonly pushesPerKey: number;
  readonly quota: Quota;
  readonly checkFilterCost: CheckFilterCost;
  readonly usage: UsageCounter;
  readonly webhooks: Webhooks;
  readonly webhookMessages: WebhookMessages;
  readonly sources: ReadonlyMap<string, Source>;
  /** Returns the address to which providers send browsers back after a sign-in. */
  readonly redirectUri: () => string;
  /** It is null when the tool server takes API keys only. */
  readonly oauth: OAuth | null;
  /** An answer of the tool server may take this many tokens of the model that reads it. */
  readonly resultTokens: number;
  /** The operator has named this origin as that of the service. */
  readonly publicOrigin?: string;
  /** These proxies name the address of the client. */
  readonly trustedProxies: readonly string[];
  /** Pages of these origins may call the API with a key. */
  readonly corsOrigins: readonly string[];
  /** It is null when the API speaks plain HTTP. */
  readonly certificate: ServedCertificate | null;
}

/** One caller may have this many further searches waiting. */
const WAITING_SEARCHES = 1000;

export function createApi(deps: ApiDeps): App {
  const { authenticate, settled } = createAuthentication(deps.keyDirectory, deps.log);
  const { members, browsers, ...signingIn } = deps.accounts;
  const api = createServer({
    log: deps.log,
    authenticate,
    browsers,
    trustedProxies: deps.trustedProxies,
    corsOrigins: deps.corsOrigins,
    certificate: deps.certificate,
    unavailableReason,
    ...(deps.tracer && { tracer: deps.tracer }),
    routes(app, explain) {
      healthRoutes(app, deps);
      organizationRoutes(app, deps.organizations);
      apiKeyRoutes(app, deps.apiKeys);
      memberRoutes(app, members);
      auditRoutes(app, deps.auditLog);
      sessionRoutes(app, { ...signingIn, cookies: browsers.cookies });
      issuerRoutes(app, { ...signingIn, cookies: browsers.cookies });
      collectionRoutes(app, deps.collections);
      sourceRoutes(app, deps.sources, deps.redirectUri);
      rateLimitRoutes(app, deps.rateLimits);
      optionsRoutes(app, deps.connections);
      authProviderRoutes(app, deps.authProviders);
      connectionRoutes(app, deps.connections, deps);
      connectionJobRoutes(app, deps.connections);
      browserSignInRoutes(app, deps.browserSignIn);
      transformerRoutes(app, deps.transformers);
      syncRoutes(app, deps.syncs);
      entityRoutes(app, deps.entities);
      contentRoutes(app, deps.contents);
      const queue = createFairQueue({
        places: deps.searchPlaces,
        caller: { atOnce: deps.searchesPerKey, waiting: WAITING_SEARCHES },
        deadlineMs: SEARCH_DEADLINE_MS,
      });
      const { metrics } = deps;
      metrics.beforeSnapshot(() => metrics.quarry_searches_waiting.set(queue.waiting()));
      searchRoutes(app, { ...deps, queue });
      agenticRoutes(app, { ...deps, queue });
      doctorRoutes(app, deps.doctor);
      systemRoutes(app, deps.system);
      backupRoutes(app, deps.backups);
      webhookRoutes(app, deps.webhooks, deps.webhookMessages);
      webhookMessageRoutes(app, deps.webhookMessages);
      toolServerRoutes(app, explain, deps);
    },
  });
  measureRequests(api, deps.metrics);
  api.addHook('onClose', settled);
  api.addHook('onClose', browsers.settled);
  api.addHook('onClose', () => deps.usage.close());
  return api;
}

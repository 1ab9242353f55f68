/**
 * The HTTP server is responsible for request ids, authentication and roles, validation, and errors as responses.
 *
 * Each route has `config: { role }`: the lowest role that may use the route, or null when no key is needed. The role
 * has no default: the service does not start when a route has none. A route that does more than read also says which
 * act of the audit log it is. Keys that are limited to collections may use a
 * route only if it has `limitedKeys`. Routes are defined once, under `/v1`.
 */
import type { IncomingMessage, ServerOptions as ProtocolOptions, ServerResponse } from 'node:http';
import helmet from '@fastify/helmet';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Ctx } from '../context.ts';
import { clientGone, forbidden } from '../errors.ts';
import type { AuditAction } from '../model/audit.ts';
import type { SentPush } from '../model/pushed.ts';
import { ROLES, type Role } from '../model/role.ts';
import { NO_TRACER, type Span, type Tracer } from '../telemetry/trace.ts';
import { newId } from '../util.ts';
import { type Authenticate, apiKeyOf, type Identity, organizationIdOf } from './auth.ts';
import type { SecureServer, ServedCertificate } from './certificate.ts';
import { closeInTime } from './closing.ts';
import { allowOrigins } from './cors.ts';
import { answerPage, asksForPage, dashboardFiles, dashboardRoutes } from './dashboard.ts';
import { docsRoutes } from './docs.ts';
import {
  answerBrokenRequest,
  answerConnect,
  answerUnknownRoute,
  answerUnreadable,
  type Explain,
  errorHandler,
  explainer,
  refuseUnfitHeaders,
} from './errors.ts';
import { parseJson } from './json-body.ts';
import { limitLargeBodies } from './large-bodies.ts';
import { refuseWrongMethods } from './methods.ts';
import { openapi } from './openapi.ts';
import type { RouteHeader } from './openapi-headers.ts';
import { knownCaller } from './own-request.ts';
import { refusePrincipals } from './principals.ts';
import { refuseUnknownParameters } from './queries.ts';
import { requireRoles } from './required-roles.ts';
import { canonicalUrl } from './rewrite.ts';
import { type CookiePlace, needOwnOrigin, sessionTokenOf } from './session-cookie.ts';
import { HEADERS_TIMEOUT_MS, limitSilentConnections } from './silent-connections.ts';
import { eventStreams } from './sse.ts';
import { traceRequests } from './trace-requests.ts';
import { unnamedProxyWarning } from './unnamed-proxy.ts';
import { refuseUnexpectedBody, validatorCompiler } from './validate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** A route whose role is null has no context. */
    ctx: Ctx;
    /** It is NO_SPAN where nothing is traced. */
    span: Span;
    /** Only the route of pushes has it. Nobody has read it before the service stores it. */
    sentPush: SentPush | undefined;
    /** Says that a route with `keepsBody` needs the body no longer, although the answer is still to come. */
    endBody: () => void;
  }
  interface FastifyContextConfig {
    /** This is the lowest role that may use the route, or null when the route needs no key. */
    role: Role | null;
    /**
     * The audit log records the use of the route as this act. Null says that the route does nothing that the log
     * records. A route that only reads leaves it out; any other one must say which it is.
     */
    audit?: AuditAction | null;
    /**
     * If true, keys that are limited to collections may use the route. Then everything that the route finds, shows and
     * changes must lie in these collections. Without this property such keys are refused.
     */
    limitedKeys?: true;
    /**
     * If true, the route shows records without asking who may see them, so it refuses people who search as themselves.
     */
    ungated?: true;
    /** If true, a large body counts as kept in memory until the route calls `endBody`, or has answered. */
    keepsBody?: true;
    /** The body may also be a form with these parts, as a JSON schema for the document. */
    form?: object;
    /** These headers are documented for the route, besides those of every route. */
    headers?: readonly RouteHeader[];
    /**
     * This function authenticates callers of the route who have no key. It returns undefined when the caller has a key.
     */
    authenticate?: (req: FastifyRequest) => Promise<Identity | undefined>;
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

const BODY_LIMIT = 1024 * 1024;
/** A whole request must arrive within this time, which is enough for a push of 10 MiB over a slow line. */
const REQUEST_TIMEOUT_MS = 120_000;
/** Connections whose time is over are closed this often. */
const CHECKING_INTERVAL_MS = 5_000;
/**
 * A stop waits so long for requests that have begun. A search takes at most 30 seconds, and whoever starts the process
 * gives it 60 seconds to stop (deploy/), in which the threads and the database have to end too.
 */
export const CLOSING_GRACE_MS = 35_000;

export interface ServerOptions {
  readonly log: Logger;
  readonly authenticate: Authenticate;
  /** Authenticates callers without a key, who have the cookie of a session. Without it, the server knows keys only. */
  readonly browsers?: {
    readonly cookies: CookiePlace;
    identify(token: string, organizationId: string | undefined): Promise<Identity>;
  };
  /** The header X-Forwarded-For of these addresses and networks names the client. Without any, the header is ignored. */
  readonly trustedProxies?: readonly string[];
  /** Pages of these origins may call the API with a key. */
  readonly corsOrigins?: readonly string[];
  /** Returns why a dependency cannot be used, or null when the error has another cause. */
  readonly unavailableReason: (error: unknown) => string | null;
  /** When this is missing, requests are not traced. */
  readonly tracer?: Tracer;
  /** Without it, the server speaks plain HTTP. */
  readonly certificate?: ServedCertificate | null;
  /**
   * Defines all routes. A route that answers errors in another form than our error body gets code and message of an
   * error from `explain`.
   */
  readonly routes: (app: App, explain: Explain) => void;
}

/** The types of Fastify distinguish a server with TLS, which the routes need not know. */
function serverOf(http: ProtocolOptions, certificate: ServedCertificate | null) {
  if (!certificate) return { http };
  const handshakeTimeout = HEADERS_TIMEOUT_MS;
  const https = {
    ...http,
    ...certificate.options(),
    handshakeTimeout,
    ALPNProtocols: ['http/1.1'],
  };
  return { https } as object;
}

export function createServer(options: ServerOptions): App {
  const { log, unavailableReason, routes, trustedProxies = [], certificate = null } = options;
  // Node would answer a missing Host header with an empty body, so our own check answers it.
  const protocol = {
    requireHostHeader: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
  };
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    requestIdHeader: false,
    trustProxy: [...trustedProxies],
    genReqId: requestId,
    rewriteUrl: (req) => canonicalUrl(req.url ?? '/'),
    frameworkErrors: answerUnreadable,
    clientErrorHandler: answerBrokenRequest,
    ...serverOf(protocol, certificate),
  }).withTypeProvider<ZodTypeProvider>();
  if (certificate) certificate.renew(app.server as object as SecureServer);
  app.server.on('checkExpectation', (req, res) => app.routing(req, res));
  closeInTime(app, { graceMs: CLOSING_GRACE_MS });
  limitSilentConnections(app.server);
  app.server.on('connect', (_req, socket) => answerConnect(socket));
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  const explain = explainer(unavailableReason);
  app.setErrorHandler(errorHandler(explain));
  app.setNotFoundHandler((req, reply) =>
    asksForPage(req) ? answerPage(reply) : answerUnknownRoute(req, reply),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson);
  requireRoles(app);
  refuseUnknownParameters(app);

  traceRequests(app, options.tracer ?? NO_TRACER);
  const warnOfProxy = unnamedProxyWarning(log, trustedProxies);
  app.addHook('onRequest', async (req) => {
    warnOfProxy(req);
    const { headers } = req.raw;
    // A proxy names the client and nothing else. Otherwise Fastify would take the host and the protocol from these
    // headers, which many proxies pass on from the client.
    delete headers['x-forwarded-host'];
    delete headers['x-forwarded-proto'];
  });
  eventStreams(app, explain);
  app.addHook('onRequest', async (req, reply) => {
    reply.header('x-request-id', req.id);
  });
  app.addHook('onRequest', refuseUnfitHeaders);
  allowOrigins(app, options.corsOrigins ?? []);
  refuseWrongMethods(app);
  identifyCallers(app, options);
  limitLargeBodies(app);
  app.addHook('preValidation', refuseUnexpectedBody);
  app.addHook('onResponse', async (req, reply) => {
    // The log gets the pattern of the route and not the address, because addresses of OAuth links contain secrets.
    const route = `${req.method} ${req.routeOptions.url ?? 'unknown'}`;
    req.log.debug({ status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, route);
  });

  void app.register(helmet, {
    // An API serves no pages, so nothing is allowed here. The few existing pages set a policy of their own.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
  });
  dashboardFiles(app);
  openapi(app);
  // The plugins above must see every route, so the routes are in a scope of their own that is loaded after the plugins.
  void app.register((scope, _options, done) => {
    try {
      const typed = scope.withTypeProvider<ZodTypeProvider>();
      docsRoutes(typed);
      dashboardRoutes(typed);
      routes(typed, explain);
      done();
    } catch (error) {
      // When a route cannot be defined, `ready()` rejects.
      done(error as Error);
    }
  });
  return app;
}

/** Gives each request its context, and refuses callers that the route does not serve. */
function identifyCallers(
  app: App,
  { authenticate, browsers }: Pick<ServerOptions, 'authenticate' | 'browsers'>,
): void {
  app.decorateRequest('ctx');
  /** A route that authenticates callers in a way of its own takes keys besides, and no cookies. */
  async function identify(req: FastifyRequest): Promise<Identity> {
    const key = apiKeyOf(req.headers);
    const organizationId = organizationIdOf(req.headers);
    if (!browsers || key !== undefined || req.routeOptions.config.authenticate)
      return authenticate(key, organizationId);
    const token = sessionTokenOf(req.headers, browsers.cookies);
    if (token === undefined) return authenticate(key, organizationId);
    needOwnOrigin(req, browsers.cookies);
    return browsers.identify(token, organizationId);
  }
  app.addHook('onRequest', async (req, reply) => {
    const { role, limitedKeys, ungated, authenticate: otherwise } = req.routeOptions.config;
    if (req.is404 || role === null) return;
    // Another person may use the same browser or proxy later. A route may set another value.
    void reply.header('cache-control', 'no-store');
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort(clientGone());
    });
    const caller = knownCaller(req.raw);
    const who = caller?.identity ?? (await otherwise?.(req)) ?? (await identify(req));
    const signal = caller ? AbortSignal.any([gone.signal, caller.signal]) : gone.signal;
    const { audit: action = null } = req.routeOptions.config;
    const { span, id: requestId, log } = req;
    req.ctx = { ...who, address: req.ip, action, log: log as Logger, signal, span, requestId };
    // Routes that do not search refuse the header too. Otherwise the caller could believe that the answer is limited to
    // what the person may see.
    refusePrincipals(req);
    if (ROLES.indexOf(who.role) < ROLES.indexOf(role))
      throw forbidden(`this needs the role ${role}; you have the role ${who.role}`);
    if (who.person !== undefined && ungated)
      throw forbidden(
        'this shows records that you may not be allowed to see; GET /v1/collections/{readable_id}/contents/list shows yours',
      );
    if (who.collections !== null && !limitedKeys)
      throw forbidden(
        'this concerns the whole organization, and your key is limited to collections',
      );
  });
}

const requestId = (req: IncomingMessage): string => {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : newId();
};

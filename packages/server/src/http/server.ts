/**
 * The HTTP server is responsible for request ids, authentication and roles, validation, and errors as responses.
 *
 * A route says who may use it by `config: { role }`, which is the least role, or null when no key is needed. The
 * role has no default: a route without it stops the start. Keys that are limited to collections may use a route
 * only if it allows them by `limitedKeys`. Routes are defined once, under `/v1`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from '@fastify/helmet';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawServerDefault,
  type RouteOptions,
} from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Ctx } from '../context.ts';
import { clientGone, forbidden, unavailable } from '../errors.ts';
import { ROLES, type Role } from '../model/role.ts';
import { newId } from '../util.ts';
import { type Authenticate, apiKeyOf, type Identity, organizationIdOf } from './auth.ts';
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
import { refuseWrongMethods } from './methods.ts';
import { openapi } from './openapi.ts';
import { knownCaller } from './own-request.ts';
import { refusePrincipals } from './principals.ts';
import { refuseUnknownParameters } from './queries.ts';
import { canonicalUrl } from './rewrite.ts';
import { eventStreams } from './sse.ts';
import { refuseUnexpectedBody, validatorCompiler } from './validate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The context is missing on a route whose role is null. */
    ctx: Ctx;
  }
  interface FastifyContextConfig {
    /** The route needs at least this role; null stands for a route that needs no key. */
    role: Role | null;
    /**
     * Keys that are limited to collections may use the route, because all that it finds, shows and changes lies in
     * these collections. They are refused at every other route, which concerns the whole organization.
     */
    limitedKeys?: true;
    /**
     * Callers of the route may prove their identity in this way beside keys; undefined says that this caller has a
     * key.
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
/** A whole request must arrive within this time: a push of 10 MiB over a slow line takes a while. */
const REQUEST_TIMEOUT_MS = 120_000;

export interface ServerOptions {
  readonly log: Logger;
  readonly authenticate: Authenticate;
  /** Says why a dependency cannot serve, and gives null when the error is of another kind. */
  readonly unavailableReason: (error: unknown) => string | null;
  /** Defines every route. Routes that answer errors in another form use `explain`. */
  readonly routes: (app: App, explain: Explain) => void;
}

export function createServer(options: ServerOptions): App {
  const { log, authenticate, unavailableReason, routes } = options;
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestId,
    rewriteUrl: (req) => canonicalUrl(req.url ?? '/'),
    frameworkErrors: answerUnreadable,
    clientErrorHandler: answerBrokenRequest,
    // Node would answer a missing Host header with an empty body.
    http: { requireHostHeader: false },
  }).withTypeProvider<ZodTypeProvider>();
  app.server.on('checkExpectation', (req, res) => app.routing(req, res));
  app.server.on('connect', (_req, socket) => answerConnect(socket));
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  const explain = explainer(unavailableReason);
  app.setErrorHandler(errorHandler(explain));
  app.setNotFoundHandler(answerUnknownRoute);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson(app));
  requireRoles(app);
  refuseUnknownParameters(app);

  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  eventStreams(app, explain);
  app.decorateRequest('ctx');
  app.addHook('onRequest', async (req, reply) => {
    reply.header('x-request-id', req.id);
    if (stopping) throw unavailable('the service is stopping; send the request again', 1);
  });
  app.addHook('onRequest', refuseUnfitHeaders);
  refuseWrongMethods(app);
  app.addHook('onRequest', async (req, reply) => {
    const { role, limitedKeys, authenticate: otherwise } = req.routeOptions.config;
    if (req.is404 || role === null) return;
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort(clientGone());
    });
    const caller = knownCaller(req.raw);
    const who =
      caller?.identity ??
      (await otherwise?.(req)) ??
      (await authenticate(apiKeyOf(req.headers), organizationIdOf(req.headers)));
    const signal = caller ? AbortSignal.any([gone.signal, caller.signal]) : gone.signal;
    req.ctx = { ...who, log: req.log as Logger, signal };
    // The check also covers routes that search nothing, so that no caller takes an answer for that of another
    // person.
    refusePrincipals(req);
    if (ROLES.indexOf(who.role) < ROLES.indexOf(role))
      throw forbidden(`this needs a key with the role ${role}; yours has ${who.role}`);
    if (who.collections !== null && !limitedKeys)
      throw forbidden(
        'this concerns the whole organization, and your key is limited to collections',
      );
  });
  app.addHook('preValidation', refuseUnexpectedBody);
  app.addHook('onResponse', async (req, reply) => {
    // The log has the pattern and not the address, because addresses of OAuth links hold secrets.
    const route = `${req.method} ${req.routeOptions.url ?? 'unknown'}`;
    req.log.debug({ status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, route);
  });

  void app.register(helmet, {
    // An API serves no pages. The few existing pages bring their own policy.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
  });
  openapi(app);
  // The routes are in a scope of their own, which is loaded after the plugins above, because these look at every
  // route.
  void app.register((scope, _options, done) => {
    try {
      const typed = scope.withTypeProvider<ZodTypeProvider>();
      docsRoutes(typed);
      routes(typed, explain);
      done();
    } catch (error) {
      // A route that cannot be made becomes a rejection of `ready()`.
      done(error as Error);
    }
  });
  return app;
}

const requestId = (req: IncomingMessage): string => {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : newId();
};

function requireRoles(app: App): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  // The check waits until all is loaded, because a scope may give the role for all of its routes.
  app.addHook('onReady', async () => {
    const forgotten = routes.filter((route) => route.config?.role === undefined);
    if (forgotten.length > 0)
      throw new Error(
        `no role is given for ${forgotten.map(({ method, url }) => `${method} ${url}`).join(', ')}`,
      );
  });
}

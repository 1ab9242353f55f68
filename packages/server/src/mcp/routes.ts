/**
 * These are the HTTP routes of the tool server. They find the caller, the session and the collection of a request, and
 * pass the request to the tools.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createAccountServer, createToolServer, type ToolServerContext } from '#quarry-mcp';
import { shown } from '../errors.ts';
import type { Explain } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import { isLoopback } from '../net/addresses.ts';
import { must } from '../util.ts';
import { clientOf, identityByToken, isPerson, tokenOf } from './caller.ts';
import { checkMessage, checkParams } from './message.ts';
import { onlyWanted, toReachableCollections } from './oauth/accessible-collections.ts';
import { challenge, metadataRoutes } from './oauth/metadata-routes.ts';
import type { OAuth } from './oauth/resource.ts';
import { ownApi } from './own-api.ts';
import { answerRefusal, McpRefusal, refusalOf } from './refusal.ts';
import {
  createModernHandler,
  isLegacy,
  type SdkServer,
  type ServedRequest,
  serveLegacy,
} from './serve.ts';
import { createSessions } from './sessions.ts';

const tags = ['tool server'];
const SESSION = 'mcp-session-id';
const COLLECTION = 'x-collection-readable-id';

export interface ToolServerOptions {
  /** This is null when only API keys are accepted. */
  readonly oauth: OAuth | null;
  /** A result of a tool has at most this many tokens of the model that reads it. */
  readonly resultTokens: number;
  /** Makes the server that answers one request. Tests give their own. */
  readonly make?: (context: ToolServerContext) => SdkServer;
}

export function toolServerRoutes(
  app: App,
  explain: Explain,
  { oauth, resultTokens, make = createToolServer }: ToolServerOptions,
): void {
  const sessions = createSessions();
  const modern = createModernHandler((text) => app.log.debug(text));
  app.addHook('preClose', () => modern.close());

  const common = {
    config: {
      role: 'read' as const,
      audit: null,
      limitedKeys: true as const,
      authenticate: (req: FastifyRequest) => identityByToken(oauth, req),
    },
    onRequest: refuseForeignOrigin,
    errorHandler: (error: FastifyError, req: FastifyRequest, reply: FastifyReply) => {
      const isToken = tokenOf(req) !== undefined;
      const how = oauth ? challenge(oauth.settings, isToken) : 'Bearer';
      return answerRefusal(toRefusal(error, req, explain), reply, how);
    },
  };
  if (oauth) metadataRoutes(app, oauth.settings);

  app.route({
    ...common,
    method: 'POST',
    url: '/mcp',
    schema: {
      summary: 'Ask the tool server (Model Context Protocol, JSON-RPC 2.0)',
      description:
        'Revisions 2024-11-05 to 2026-07-28, streamable HTTP. With an API key, the header ' +
        `${COLLECTION} names the collection. With an OAuth access token as bearer, the tools reach every ` +
        `collection of the account. Up to revision 2025-11-25, a request without ${SESSION} begins a session, ` +
        'and that header of the answer has its id. A key or account may begin 100 sessions per hour. A session ends ' +
        'when it is idle for 30 minutes, and serves only the address and user agent that began it. ' +
        'An admin key or one with search_as may send X-Principals to search as a person.',
      tags,
      body: z.unknown(),
      response: {
        200: {
          description: 'A message of JSON-RPC, or a stream of them if the client accepts it.',
          content: { 'application/json': { schema: z.unknown() } },
        },
      },
    },
    handler: async (req, reply) => {
      checkMessage(req.body, headerOf(req, 'mcp-protocol-version'));
      const request = toWebRequest(req);
      if (!(await isLegacy(request, req.body)))
        return reply.send(await modern.serve(await served(req, request, wantedCollection(req))));
      checkParams(req.body);
      const id = headerOf(req, SESSION);
      const client = clientOf(req);
      const session =
        id === undefined ? sessions.open(client, wantedCollection(req)) : sessions.find(id, client);
      const wanted = headerOf(req, COLLECTION);
      if (wanted !== undefined && wanted !== session.collection)
        throw new McpRefusal(
          400,
          `this session is for ${session.collection === null ? 'all your collections' : `the collection '${shown(session.collection)}'`}: begin another one for '${shown(wanted)}'`,
          { code: 'invalidParams' },
        );
      void reply.header(SESSION, session.id);
      return reply.send(await serveLegacy(await served(req, request, session.collection)));
    },
  });

  app.route({
    ...common,
    method: 'DELETE',
    url: '/mcp',
    schema: { summary: 'End a session of the tool server', tags },
    handler: async (req, reply) => {
      const id = headerOf(req, SESSION);
      if (id === undefined)
        throw new McpRefusal(400, `the header ${SESSION} must name the session to end`, {
          code: 'invalidRequest',
        });
      sessions.end(id, clientOf(req));
      return reply.status(204).send();
    },
  });

  app.route({
    ...common,
    method: 'GET',
    url: '/mcp',
    schema: { summary: 'Refuse a stream, because the tool server sends nothing by itself', tags },
    handler: () => {
      throw new McpRefusal(405, 'this server sends nothing by itself: use POST', {
        code: 'invalidRequest',
      });
    },
  });
  app.route({
    ...common,
    method: ['OPTIONS', 'PATCH', 'PUT'],
    url: '/mcp',
    schema: { hide: true },
    handler: (req) => {
      throw new McpRefusal(405, `${req.method} is not possible here: use POST`, {
        code: 'invalidRequest',
      });
    },
  });

  async function served(
    req: FastifyRequest,
    request: Request,
    collection: string | null,
  ): Promise<ServedRequest> {
    const say = (text: string) => req.log.error(text);
    const asked = { request, body: req.body, say };
    const common = {
      mode: 'hosted',
      address: `${req.protocol}://${req.host}`,
      maxTokens: resultTokens,
      say,
    } as const;
    if (oauth && isPerson(req)) {
      const found = await oauth.collections(req.ctx.account.id);
      const reachable = onlyWanted(toReachableCollections(app, req.ctx, found), collection);
      return { ...asked, open: () => createAccountServer({ ...common, reachable }) };
    }
    const context = { ...common, api: ownApi(app, req.headers), collection: must(collection) };
    return { ...asked, open: () => make(context) };
  }
}

function headerOf(req: FastifyRequest, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the readable_id in the header, or null for all collections that the account reaches. */
function wantedCollection(req: FastifyRequest): string | null {
  const collection = headerOf(req, COLLECTION) ?? null;
  if (collection === null && !isPerson(req))
    throw new McpRefusal(
      400,
      `an API key needs the header ${COLLECTION}: the readable_id of the collection to search`,
      { code: 'invalidParams' },
    );
  return collection;
}

/** The request has no body, because Fastify has already read it. */
function toWebRequest(req: FastifyRequest): Request {
  const headers = Object.entries(req.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'content-length' ? [] : [[name, String(value)]],
  );
  return new Request('http://localhost/mcp', {
    method: req.method,
    headers,
    signal: req.ctx.signal,
  });
}

/**
 * Refuses requests that a web page of another site sends through a browser on this machine. Such a page either has
 * another origin, or uses its own host name, which it has pointed to this machine (DNS rebinding).
 */
async function refuseForeignOrigin(req: FastifyRequest): Promise<void> {
  const { origin } = req.headers;
  if (origin === undefined) return;
  const { host, hostname } = URL.canParse(origin) ? new URL(origin) : { host: '', hostname: '' };
  const isLocal = isLoopback(req.socket.localAddress ?? '');
  if (host !== req.headers.host || (isLocal && !isLoopback(hostname)))
    throw new McpRefusal(403, `the origin '${shown(origin)}' is not allowed here`, {
      code: 'invalidRequest',
    });
}

function toRefusal(
  error: FastifyError | McpRefusal,
  req: FastifyRequest,
  explain: Explain,
): McpRefusal {
  if (error instanceof McpRefusal) return error;
  const known = explain(error, req);
  if (known.status === 401 && tokenOf(req) !== undefined)
    return new McpRefusal(401, 'Invalid OAuth token', { code: 'authentication' });
  return refusalOf(known);
}

/**
 * HTTP of the tool server: who asks, in which session, and of which collection. What is asked is answered
 * by the tools.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { createToolServer } from 'quarry-mcp';
import { z } from 'zod';
import { apiKeyOf } from '../http/auth.ts';
import type { Explain } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import { sha256 } from '../model/hash.ts';
import { checkMessage, checkParams } from './message.ts';
import { ownApi } from './own-api.ts';
import { answerRefusal, Refusal, refusalOf } from './refusal.ts';
import { createModern, isLegacy, type MakeServer, type Served, serveLegacy } from './serve.ts';
import { type Client, createSessions } from './sessions.ts';

const tags = ['tool server'];
const SESSION = 'mcp-session-id';
const COLLECTION = 'x-collection-readable-id';
const KEY_FORM = /^quarry_[A-Za-z0-9_-]{43}$/;

export interface ToolServerOptions {
  /** What an answer may cost the model that reads it. */
  readonly resultTokens: number;
  readonly make?: MakeServer;
}

export function toolServerRoutes(
  app: App,
  explain: Explain,
  { resultTokens, make = createToolServer }: ToolServerOptions,
): void {
  const sessions = createSessions();
  const modern = createModern(make, (text) => app.log.debug(text));
  app.addHook('preClose', () => modern.close());

  const common = {
    config: { role: 'read' as const },
    onRequest: refuseForeignOrigin,
    errorHandler: (error: FastifyError, req: FastifyRequest, reply: FastifyReply) =>
      answerRefusal(toRefusal(error, req, explain), req.body, reply),
  };

  app.route({
    ...common,
    method: 'POST',
    url: '/mcp',
    schema: {
      summary: 'Ask the tool server (Model Context Protocol, JSON-RPC 2.0)',
      description:
        `Revisions 2024-11-05 to 2026-07-28, streamable HTTP. The header ${COLLECTION} names the ` +
        `collection. Until 2025-11-25 a request without ${SESSION} makes a session, whose id the answer ` +
        'has in that header: at most 100 an hour by key, gone after 30 minutes idle, bound to the ' +
        'address and the user agent of the client. An admin key may send X-Principals to search as a person.',
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
        return reply.send(await modern.serve(served(req, request, wantedCollection(req))));
      checkParams(req.body);
      const id = headerOf(req, SESSION);
      const client = clientOf(req);
      const session =
        id === undefined ? sessions.open(client, wantedCollection(req)) : sessions.find(id, client);
      const wanted = headerOf(req, COLLECTION);
      if (wanted !== undefined && wanted !== session.collection)
        throw new Refusal(
          400,
          'invalidParams',
          `this session is one of the collection '${session.collection}': begin another one for '${wanted}'`,
        );
      void reply.header(SESSION, session.id);
      return reply.send(await serveLegacy(make, served(req, request, session.collection)));
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
        throw new Refusal(400, 'invalidRequest', `name the session to end by ${SESSION}`);
      sessions.end(id, clientOf(req));
      return reply.status(204).send();
    },
  });

  app.route({
    ...common,
    method: 'GET',
    url: '/mcp',
    schema: { summary: 'No stream of its own: the tool server only answers', tags },
    handler: () => {
      throw new Refusal(405, 'invalidRequest', 'this server sends nothing by itself: use POST');
    },
  });

  const served = (req: FastifyRequest, request: Request, collection: string): Served => ({
    request,
    body: req.body,
    place: {
      api: ownApi(app, req.headers),
      collection,
      mode: 'hosted',
      address: `${req.protocol}://${req.host}`,
      maxTokens: resultTokens,
      say: (text) => req.log.error(text),
    },
  });
}

const clientOf = (req: FastifyRequest): Client => ({
  key: sha256(apiKeyOf(req.headers) ?? ''),
  address: req.ip,
  userAgent: req.headers['user-agent'] ?? '',
});

function headerOf(req: FastifyRequest, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function wantedCollection(req: FastifyRequest): string {
  const collection = headerOf(req, COLLECTION);
  if (collection === undefined)
    throw new Refusal(
      400,
      'invalidParams',
      `an API key needs the header ${COLLECTION}: the readable_id of the collection to search`,
    );
  return collection;
}

/** Without a body: it has been read. */
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
 * A page of somebody else in a browser on this machine could otherwise be made to ask: from its own origin, or
 * by a name of its own that has come to lead here.
 */
async function refuseForeignOrigin(req: FastifyRequest): Promise<void> {
  const { origin } = req.headers;
  if (origin === undefined) return;
  const { host, hostname } = URL.canParse(origin) ? new URL(origin) : { host: '', hostname: '' };
  const isLocal = isLoopback(req.socket.localAddress ?? '');
  if (host !== req.headers.host || (isLocal && !isLoopback(hostname)))
    throw new Refusal(403, 'invalidRequest', `the origin '${origin}' is not allowed here`);
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || /^(::ffff:)?127\.\d+\.\d+\.\d+$|^\[?::1\]?$/.test(host);

function toRefusal(error: FastifyError | Refusal, req: FastifyRequest, explain: Explain): Refusal {
  if (error instanceof Refusal) return error;
  const known = explain(error, req);
  const bearer = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
  const isToken = bearer !== undefined && !req.headers['x-api-key'] && !KEY_FORM.test(bearer);
  if (known.status === 401 && isToken)
    return new Refusal(401, 'authentication', 'Invalid OAuth token');
  return refusalOf(known);
}

/**
 * These are the HTTP routes of the tool server. They find the caller, the session and the collection of a request, and
 * pass the request to the tools.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { shown } from '../errors.ts';
import type { Explain } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import { isLoopback } from '../net/addresses.ts';
import type { createAnswers, ToolServerOptions } from './answers.ts';
import { clientOf, identityByToken, tokenOf } from './caller.ts';
import { COLLECTION, headerOf, SESSION } from './headers.ts';
import { challenge, metadataRoutes } from './oauth/metadata-routes.ts';
import { answerRefusal, McpRefusal, refusalOf } from './refusal.ts';
import { createSessions } from './sessions.ts';

const tags = ['tool server'];
const HEADERS = [
  'X-Collection-Readable-ID',
  'X-Principals',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
] as const;

export function toolServerRoutes(app: App, explain: Explain, options: ToolServerOptions): void {
  const { oauth } = options;
  const sessions = createSessions();
  let loaded: Promise<ReturnType<typeof createAnswers>> | undefined;
  /** A start would spend a tenth of its time on the SDK of the protocol, so the first message imports it. */
  const answers = () =>
    (loaded ??= import('./answers.ts').then((file) => file.createAnswers(app, sessions, options)));
  app.addHook('preClose', async () => (await loaded)?.close());

  const common = {
    config: {
      role: 'read' as const,
      audit: null,
      limitedKeys: true as const,
      headers: [...HEADERS],
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
      operationId: 'callToolServer',
      summary: 'Ask the tool server (Model Context Protocol, JSON-RPC 2.0)',
      description:
        'Revisions 2024-11-05 to 2026-07-28, streamable HTTP. The tools reach every collection that the API key may ' +
        'read, or that the account of an OAuth access token may; the header ' +
        `${COLLECTION} narrows them to one. Up to revision 2025-11-25, a request without ${SESSION} begins a session, ` +
        'and that header of the answer has its id. A key or account may begin 100 sessions per hour. A session ends ' +
        'when it is idle for 30 minutes, and serves only the address and user agent that began it. ' +
        'An admin key or one with search_as may send X-Principals to search as a person.',
      tags,
      body: z.unknown().meta({ examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] }),
      response: {
        200: {
          description: 'A message of JSON-RPC, or a stream of them if the client accepts it.',
          content: {
            'application/json': {
              schema: z.unknown().meta({ examples: [{ jsonrpc: '2.0', id: 1, result: {} }] }),
            },
          },
        },
      },
    },
    handler: async (req, reply) => reply.send(await (await answers()).post(req, reply)),
  });

  app.route({
    ...common,
    method: 'DELETE',
    url: '/mcp',
    schema: {
      operationId: 'endToolServerSession',
      summary: 'End a session of the tool server',
      tags,
      response: { 204: z.null().describe('The session has ended.') },
    },
    handler: async (req, reply) => {
      const id = headerOf(req, SESSION);
      if (id === undefined)
        throw new McpRefusal(400, `the header ${SESSION} must name the session to end`, {
          code: 'invalidRequest',
        });
      sessions.end(id, clientOf(req));
      return reply.status(204).send(null);
    },
  });

  app.route({
    ...common,
    method: 'GET',
    url: '/mcp',
    // The server sends nothing by itself, so it has no stream for a client that asks for one.
    schema: { hide: true },
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

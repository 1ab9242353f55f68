/**
 * Answers one HTTP request to the tool server, in the era of the protocol that its client speaks.
 *
 * Until 2025-11-25 a client opens with `initialize`, and sessions are headers that only routes.ts knows of:
 * each request is served by an instance of its own. From 2026-07-28 on each request says all by itself.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { must } from '../util.ts';
import { boundedError } from './refusal.ts';

/** What answers one request. */
export type MadeServer = Server | McpServer;

export interface Served {
  /** Its signal aborts when the client has gone. */
  readonly request: Request;
  readonly body: unknown;
  /** A server of the tools, for this request alone. */
  readonly open: () => MadeServer;
  /** What the operator should know of. */
  readonly say: (text: string) => void;
}

export const isLegacy = (request: Request, body: unknown): Promise<boolean> =>
  isLegacyRequest(request, body);

/** What the transport asks of every client, whatever it says: it is answered as it has asked. */
const ACCEPT = 'application/json, text/event-stream';

export async function serveLegacy({ request, body, open, say }: Served): Promise<Response> {
  const server = open();
  const wantsStream = request.headers.get('accept')?.includes('text/event-stream') ?? false;
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsStream,
  });
  await server.connect(transport);
  const close = () => {
    server.close().catch((error: Error) => say(`a connection was not closed: ${error}`));
  };
  request.signal.addEventListener('abort', close, { once: true });
  request.headers.set('accept', ACCEPT);
  return boundedError(await transport.handleRequest(request, { parsedBody: body }));
}

/** `say` is told of what went wrong. `close` ends what is still open. */
export function createModern(say: (text: string) => void) {
  const handler = createMcpHandler(
    ({ authInfo }) => (must(authInfo?.extra) as unknown as Pick<Served, 'open'>).open(),
    { legacy: 'reject', maxSubscriptions: MOST_LISTENERS, onerror: (error) => say(error.message) },
  );
  return {
    async serve({ request, body, open }: Served): Promise<Response> {
      const response = await handler.fetch(request, {
        parsedBody: body,
        authInfo: { token: '', clientId: '', scopes: [], extra: { open } },
      });
      return boundedError(response);
    },
    close: () => handler.close(),
  };
}

/** They wait for changes of the list of tools, of which there are none. */
const MOST_LISTENERS = 100;

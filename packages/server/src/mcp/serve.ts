/**
 * Answers one HTTP request to the tool server, in the era of the protocol that its client speaks.
 *
 * Up to 2025-11-25 a client opens with `initialize`, and only routes.ts knows of sessions, which are headers: each
 * request gets a server instance of its own. From 2026-07-28 on each request carries everything itself.
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

/** One such server answers one request. */
export type MadeServer = Server | McpServer;

export interface Served {
  /** The signal of the request aborts when the client has gone. */
  readonly request: Request;
  readonly body: unknown;
  /** Makes a server of the tools for this request alone. */
  readonly open: () => MadeServer;
  /** Tells the operator about a fault. */
  readonly say: (text: string) => void;
}

export const isLegacy = (request: Request, body: unknown): Promise<boolean> =>
  isLegacyRequest(request, body);

/** The transport wants this header from every client. The answer still has the form that the client accepts. */
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

/** The function `say` gets each error message. The function `close` ends the requests that are still open. */
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

/** Up to this many clients wait for changes of the list of tools, which never changes. */
const MOST_LISTENERS = 100;

/**
 * Answers one HTTP request to the tool server. The protocol has two forms, and the client's revision decides between
 * them.
 *
 * Up to revision 2025-11-25, a client begins a session with `initialize`. Sessions are only headers, which routes.ts
 * handles, so each request gets a server instance of its own. From revision 2026-07-28 on, each request contains all
 * that the server needs, so sessions do not exist.
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

/** A server of the SDK, which answers one request. */
export type SdkServer = Server | McpServer;

export interface ServedRequest {
  /** The signal of the request aborts when the client has disconnected. */
  readonly request: Request;
  readonly body: unknown;
  /** Makes the server with the tools for this request. */
  readonly open: () => SdkServer;
  /** Writes an error into the log. */
  readonly say: (text: string) => void;
}

export const isLegacy = (request: Request, body: unknown): Promise<boolean> =>
  isLegacyRequest(request, body);

/**
 * The transport of the SDK refuses requests without this header, so every request gets it. The answer still has the
 * form that the client accepts.
 */
const ACCEPT = 'application/json, text/event-stream';

/** When the client cancels the request, it gets no answer of the protocol any more. */
export async function serveLegacy(
  { request, body, open, say }: ServedRequest,
  cancelled: AbortSignal,
): Promise<Response> {
  if (cancelled.aborted) return withoutAnswer();
  const server = open();
  const wantsStream = request.headers.get('accept')?.includes('text/event-stream') ?? false;
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsStream,
  });
  await server.connect(transport);
  const close = () => {
    server.close().catch((error: Error) => say(`a connection was not closed: ${error}`));
  };
  AbortSignal.any([request.signal, cancelled]).addEventListener('abort', close, { once: true });
  request.headers.set('accept', ACCEPT);
  // Without a stream, the transport waits for the answers of a closed server for ever.
  const answer = await Promise.race([
    transport.handleRequest(request, { parsedBody: body }),
    aborted(cancelled).then(withoutAnswer),
  ]);
  return boundedError(answer);
}

const withoutAnswer = () => new Response(null, { status: 202 });

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** `say` gets each error message. `close` ends the requests that are still open. */
export function createModernHandler(say: (text: string) => void) {
  const handler = createMcpHandler(
    ({ authInfo }) => (must(authInfo?.extra) as unknown as Pick<ServedRequest, 'open'>).open(),
    {
      legacy: 'reject',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror: (error) => say(error.message),
    },
  );
  return {
    async serve({ request, body, open }: ServedRequest): Promise<Response> {
      const response = await handler.fetch(request, {
        parsedBody: body,
        authInfo: { token: '', clientId: '', scopes: [], extra: { open } },
      });
      return boundedError(response);
    },
    close: () => handler.close(),
  };
}

/** The number of clients that subscribe to changes of the list of tools is limited to this. The list never changes. */
const MAX_SUBSCRIPTIONS = 100;

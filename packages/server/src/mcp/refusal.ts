/** The hosted tool server refuses a request with a JSON-RPC error and an HTTP status. */
import type { FastifyReply } from 'fastify';
import type { AppError } from '../errors.ts';
import { brief } from '../http/errors.ts';

export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  authentication: -32001,
  tooManySessions: -32002,
  clientMismatch: -32003,
  sessionUnknown: -32004,
} as const;

export class McpRefusal extends Error {
  override readonly name = 'McpRefusal';
  readonly status: number;
  readonly code: number;
  /** The client is told to try again after this many seconds. Only a 429 or 503 has this value. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    about: { code: keyof typeof CODES; retryAfter?: number | undefined },
  ) {
    super(message);
    this.status = status;
    this.code = CODES[about.code];
    this.retryAfter = about.retryAfter;
  }
}

/** Turns an error of our API into a JSON-RPC error. */
export function refusalOf(error: AppError): McpRefusal {
  const { status, message, faults, retryAfter } = error;
  const text = [message, ...faults.map(({ msg }) => msg)].join(': ');
  if (status === 401) return new McpRefusal(401, text, { code: 'authentication' });
  if (status === 422) return new McpRefusal(400, text, { code: 'parse' });
  if (status >= 500) return new McpRefusal(status, text, { code: 'internal', retryAfter });
  return new McpRefusal(status, text, { code: 'invalidRequest', retryAfter });
}

/**
 * Answers with the refusal. The id of the answer is the id in the body, or null when the body has none. `challenge` is
 * the header WWW-Authenticate of a 401.
 */
export function answerRefusal(refusal: McpRefusal, reply: FastifyReply, challenge: string) {
  void reply.status(refusal.status);
  if (refusal.retryAfter !== undefined)
    void reply.header('retry-after', Math.max(1, Math.ceil(refusal.retryAfter)));
  if (refusal.status === 401) void reply.header('www-authenticate', challenge);
  if (refusal.status === 405) void reply.header('allow', 'POST, DELETE');
  return reply
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({
      jsonrpc: '2.0',
      id: idOf(reply.request.body),
      error: { code: refusal.code, message: brief(refusal.message) },
    });
}

/**
 * Shortens the long texts in an error answer of the SDK, because the SDK repeats values of the request, such as the
 * revision. The id is not shortened, because the client matches the answer to its request by the id.
 */
export async function boundedError(response: Response): Promise<Response> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (response.ok || !isJson) return response;
  const body: unknown = JSON.parse(await response.text(), (key, value) =>
    typeof value === 'string' && key !== 'id' ? brief(value) : value,
  );
  return Response.json(body, { status: response.status, headers: response.headers });
}

function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The hosted tool server refuses a request by an error of JSON-RPC with an HTTP status. */
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
  /** A 429 or 503 tells the client to try again after this many seconds. */
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

/** Turns an error of the API into a refusal of this protocol. */
export function refusalOf(error: AppError): McpRefusal {
  const { status, message, faults, retryAfter } = error;
  const text = [message, ...faults.map(({ msg }) => msg)].join(': ');
  if (status === 401) return new McpRefusal(401, text, { code: 'authentication' });
  if (status === 422) return new McpRefusal(400, text, { code: 'parse' });
  if (status >= 500) return new McpRefusal(status, text, { code: 'internal', retryAfter });
  return new McpRefusal(status, text, { code: 'invalidRequest', retryAfter });
}

/**
 * The id of the answer comes from the body, as far as the body was read. A `challenge` tells in a 401 how the caller
 * can prove its identity.
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
 * Shortens the long texts in an error answer of the SDK, because it repeats what the caller has sent, such as a
 * revision. The id stays as it is, because the caller recognizes its request by the id.
 */
export async function boundedError(response: Response): Promise<Response> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (response.ok || !isJson) return response;
  const said: unknown = JSON.parse(await response.text(), (key, value) =>
    typeof value === 'string' && key !== 'id' ? brief(value) : value,
  );
  return Response.json(said, { status: response.status, headers: response.headers });
}

function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

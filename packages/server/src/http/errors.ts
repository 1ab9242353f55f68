/**
 * The one place where errors become responses. Every body is `{ detail, code, request_id }`; the
 * detail is a sentence, on 422 the list of faults. What is neither meant for the caller nor a dependency
 * that cannot be reached is a bug: 500 without internals, and one log line with them.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, type Fault, tooLarge, unavailable } from '../errors.ts';
import { newId } from '../util.ts';

const FaultShape = z.object({
  loc: z
    .array(z.union([z.string(), z.number().int()]))
    .describe('Where, from the part of the request on.'),
  msg: z.string(),
  type: z.string(),
});

export const ErrorBody = z
  .object({
    detail: z.union([z.string(), z.array(FaultShape)]).describe('On 422 a list of faults.'),
    code: z.string(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

/** Seconds after which a database may be back. */
const RETRY_AFTER = 5;

/** What the caller is told. What is not meant for him is logged, and told as an `internal` error. */
export type Explain = (error: unknown, req: FastifyRequest) => AppError;

/** `reasonOf` says why a dependency cannot serve, or null when the error is of another kind. */
export const explainer =
  (reasonOf: (error: unknown) => string | null): Explain =>
  (error, req) => {
    const reason = error instanceof AppError ? null : reasonOf(error);
    const known =
      reason === null
        ? asAppError(error, req)
        : unavailable(`${reason}; try again in a moment`, RETRY_AFTER, error);
    if (!known || reason !== null) req.log.error({ err: error }, reason ?? 'unhandled error');
    return known ?? internal;
  };

export const errorHandler =
  (explain: Explain) => (error: unknown, req: FastifyRequest, reply: FastifyReply) =>
    answer(explain(error, req), req, reply);

export function answerUnknownRoute(req: FastifyRequest, reply: FastifyReply) {
  return answer(nothingHere, req, reply);
}

/** An address that cannot be decoded names nothing. */
export function answerUnreadable(_error: Error, req: FastifyRequest, reply: FastifyReply) {
  void reply.header('x-request-id', req.id);
  void answer(nothingHere, req, reply);
}

/** What never became a request: broken HTTP, headers that are too large, a body that never came. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = PROTOCOL_ERRORS[error.code ?? ''] ?? [400, 'this is not valid HTTP'];
  const id = newId();
  const text = JSON.stringify({ detail, code: 'bad_request', request_id: id });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nx-request-id: ${id}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const PROTOCOL_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive; send it again'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
};

const internal = new AppError(
  500,
  'internal',
  'something went wrong on our side; the log has the reason under this request_id',
);
const nothingHere = new AppError(
  404,
  'not_found',
  'there is no such route; GET /openapi.json lists those that exist',
);

function asAppError(error: unknown, req: FastifyRequest): AppError | undefined {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: number };
  if (typeof code !== 'string' || !code.startsWith('FST_ERR_CTP')) return undefined;
  if (statusCode === 413)
    return tooLarge(`the body is larger than the ${req.routeOptions.bodyLimit} bytes allowed here`);
  if (statusCode === 415)
    return new AppError(
      415,
      'unsupported_media_type',
      'the body must be JSON; send it with content-type: application/json',
    );
  return new AppError(400, 'bad_request', 'the body does not have the length that was announced');
}

function answer(error: AppError, req: FastifyRequest, reply: FastifyReply) {
  void reply.status(error.status);
  if (error.retryAfter !== undefined)
    void reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfter)));
  if (error.status === 401) void reply.header('www-authenticate', 'Bearer');
  // What of the body is still on its way is received and dropped, as with any other answer that comes
  // before its end: a client that is cut off while it sends reads none.
  if (error.status === 413) void reply.removeHeader('connection');
  const detail: string | readonly Fault[] = error.status === 422 ? error.faults : error.message;
  return reply
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ detail, code: error.code, request_id: req.id });
}

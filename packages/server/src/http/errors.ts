/**
 * Errors become responses only in this file. Every body is `{ detail, code, request_id }`; the detail is a sentence, or
 * on 422 the list of faults. An AppError is meant for the caller, and some errors say that a dependency cannot be
 * reached. Any other error is a bug: it becomes a 500 without details, and the log gets the details. The body of a
 * response stays small even when its error repeats much of the request.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, clientGone, type Fault, shown, tooLarge, unavailable } from '../errors.ts';
import { newId } from '../util.ts';

const FaultShape = z.object({
  loc: z
    .array(z.union([z.string(), z.number().int()]))
    .describe('Path of the fault, beginning with the part of the request.'),
  msg: z.string(),
  type: z.string(),
});

export const ErrorBody = z
  .object({
    detail: z
      .union([z.string(), z.array(FaultShape)])
      .describe('A message, or on 422 a list of faults, which is cut when it is very long.'),
    code: z.string(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

/** When the database cannot be reached, the client is told to try again after this many seconds. */
const RETRY_AFTER = 5;

/**
 * Returns the error that the caller gets. An error that is not meant for the caller is logged, and the caller gets an
 * `internal` error.
 */
export type Explain = (error: unknown, req: FastifyRequest) => AppError;

/** `reasonOf` returns why a dependency cannot be used, or null when the error has another cause. */
export const explainer =
  (reasonOf: (error: unknown) => string | null): Explain =>
  (error, req) => {
    // When the client disconnects, the request fails with the error of its connection.
    if (error === req.raw.errored) return clientGone();
    const reason = error instanceof AppError ? null : reasonOf(error);
    const known =
      reason === null
        ? asAppError(error, req)
        : unavailable(`${reason}; try again in a moment`, RETRY_AFTER, error);
    if (!known || reason !== null) req.log.error({ err: error }, reason ?? 'unhandled error');
    return known ? bounded(known) : internal;
  };

/**
 * A message has at most this many characters. A longer message is cut in the middle, because its end says what to do.
 */
const LONGEST_MESSAGE = 1_000;
const MESSAGE_END = 200;
/** A body lists at most this many faults, and at most this many characters of all faults together. */
const MAX_FAULTS = 100;
const MAX_FAULT_CHARACTERS = 50_000;

/** Returns the same error with a shortened message and fewer faults. */
function bounded(error: AppError): AppError {
  const { status, code, message, retryAfter, cause } = error;
  return new AppError(status, brief(message), {
    code,
    faults: firstOf(error.faults),
    cause,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

export function brief(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  const start = message.slice(0, LONGEST_MESSAGE - MESSAGE_END).toWellFormed();
  return `${start} … ${message.slice(-MESSAGE_END).toWellFormed()}`;
}

/** Returns the first faults within the limits, and at least one. */
function firstOf(faults: readonly Fault[]): Fault[] {
  let room = MAX_FAULT_CHARACTERS;
  const first: Fault[] = [];
  for (const { loc, msg, type } of faults.slice(0, MAX_FAULTS)) {
    const fault = { loc: loc.map((key) => shownKey(key)), msg: brief(msg), type };
    room -= fault.msg.length + fault.loc.reduce<number>((sum, key) => sum + `${key}`.length, 0);
    if (room < 0 && first.length > 0) break;
    first.push(fault);
  }
  return first;
}

const shownKey = (key: string | number) => (typeof key === 'string' ? shown(key) : key);

export const errorHandler =
  (explain: Explain) => (error: unknown, req: FastifyRequest, reply: FastifyReply) =>
    answer(explain(error, req), req, reply);

export function answerUnknownRoute(req: FastifyRequest, reply: FastifyReply) {
  return answer(unknownRoute, req, reply);
}

/** Answers 404 when the address of a request cannot be decoded, because no route has such an address. */
export function answerUnreadable(_error: Error, req: FastifyRequest, reply: FastifyReply) {
  void reply.header('x-request-id', req.id);
  void answer(unknownRoute, req, reply);
}

/**
 * Answers on a connection when Node could not read a request: broken HTTP, headers that are too large, a request that
 * did not arrive in time.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // If the answer to an earlier request has begun on this connection, another answer cannot be written.
  const { _httpMessage: begun } = socket as Socket & { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || begun?.headersSent) {
    socket.destroy();
    return;
  }
  const [status, detail] = PROTOCOL_ERRORS[error.code ?? ''] ?? [400, 'this is not valid HTTP'];
  answerOn(socket, status, { code: 'bad_request', detail });
}

/** Answers on a connection whose request arrives so slowly that others wait for it. */
export const answerTooSlow = (socket: Socket): void =>
  answerBrokenRequest(
    Object.assign(new Error('the body arrives too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  );

/** Answers a CONNECT, which asks for a tunnel to another server. */
export const answerConnect = (socket: Duplex): void =>
  answerOn(socket, 501, {
    code: 'not_implemented',
    detail: 'this is not a proxy: ask for a path of this service',
  });

/** Writes a last answer directly to the connection, because a response object does not exist. */
function answerOn(
  socket: Duplex,
  status: number,
  { code, detail }: { readonly code: string; readonly detail: string },
): void {
  const id = newId();
  const text = JSON.stringify({ detail, code, request_id: id });
  // It is not an error when the client has disconnected before it could read the answer.
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nx-request-id: ${id}\r\n` +
      `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const JSON_TYPE = 'application/json; charset=utf-8';

const PROTOCOL_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive; send it again'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the extensions of the chunks of the body are too large'],
};

/**
 * Throws for requests that Node would otherwise answer itself, with an empty body.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2, https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
export async function refuseUnfitHeaders(req: FastifyRequest): Promise<void> {
  const { httpVersion, rawHeaders } = req.raw;
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw badRequest('send one Host header and no second one');
  if (hosts.length === 0 && httpVersion === '1.1')
    throw badRequest('a request of HTTP/1.1 has a Host header: send it');
  const { expect } = req.headers;
  if (expect !== undefined && !/^100-continue$/i.test(expect))
    throw new AppError(
      417,
      `the expectation '${shown(expect)}' is not known here: leave out the header Expect`,
      { code: 'expectation_failed' },
    );
}

const badRequest = (message: string) => new AppError(400, message, { code: 'bad_request' });
const internal = new AppError(
  500,
  'something went wrong on our side; the log has the reason under this request_id',
  { code: 'internal' },
);
export const unknownRoute = new AppError(
  404,
  'this route does not exist: /docs shows the existing ones, and GET /openapi.json lists them',
  { code: 'not_found' },
);

function asAppError(error: unknown, req: FastifyRequest): AppError | undefined {
  if (error instanceof AppError) return error;
  const { code, statusCode = 500 } = error as { code?: unknown; statusCode?: number };
  if (typeof code !== 'string' || !code.startsWith('FST_ERR') || statusCode >= 500)
    return undefined;
  if (statusCode === 413)
    return tooLarge(`the body is larger than the ${req.routeOptions.bodyLimit} bytes allowed here`);
  if (statusCode === 415)
    return new AppError(415, 'the body must be JSON; send it with content-type: application/json', {
      code: 'unsupported_media_type',
    });
  if (req.is404) return unknownRoute;
  return badRequest('the body does not have the length that was announced');
}

function answer(error: AppError, req: FastifyRequest, reply: FastifyReply) {
  void reply.status(error.status);
  if (error.retryAfter !== undefined)
    void reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfter)));
  if (error.status === 401) void reply.header('www-authenticate', 'Bearer');
  // Fastify would close the connection. But the client is still sending the body, and a client whose connection is
  // closed while it sends does not read the answer. So the rest of the body is received and dropped.
  if (error.status === 413) void reply.removeHeader('connection');
  // The client may or may not send the body after this answer. The connection is closed so that the body cannot be read
  // as another request.
  if (error.status === 417) void reply.header('connection', 'close');
  const detail: string | readonly Fault[] = error.status === 422 ? error.faults : error.message;
  return reply
    .type(JSON_TYPE)
    .serializer(JSON.stringify)
    .send({ detail, code: error.code, request_id: req.id });
}

/**
 * The tools call the API of this process on behalf of their caller, with the caller's own headers or as the account of
 * the caller's token. Each call passes the same checks as a request from the network. So the tools can do only what the
 * caller may do.
 */
import type { FastifyRequest } from 'fastify';
import { type Api, errorOf } from '#quarry-mcp/api';
import type { Identity } from '../http/auth.ts';
import { requestFor } from '../http/own-request.ts';
import type { App } from '../http/server.ts';

const CARRIED = ['authorization', 'x-api-key', 'x-organization-id', 'x-principals'];

/** These headers give the calls the id of the request to the tool server, and its trace. */
const causeHeaders = ({ id, span }: CallingRequest): Record<string, string> => ({
  'x-request-id': id,
  ...span.context,
});

export type CallingRequest = Pick<FastifyRequest, 'id' | 'span'>;

/** Returns an API client that sends the headers of the caller, by which the API authenticates the caller. */
export function ownApi(app: App, req: CallingRequest & Pick<FastifyRequest, 'headers'>): Api {
  const { headers } = req;
  const carried = Object.fromEntries(
    CARRIED.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
  return apiOf(app, { ...carried, ...causeHeaders(req) }, {});
}

/** Returns an API client for a caller with a token. The API gets the identity and not the token. */
export const apiAs = (app: App, req: CallingRequest, identity: Identity): Api =>
  apiOf(app, causeHeaders(req), { identity });

function apiOf(
  app: App,
  headers: Readonly<Record<string, string>>,
  who: { readonly identity?: Identity },
): Api {
  return async ({ method, path, body }, signal) => {
    signal.throwIfAborted();
    const payload = body === undefined ? {} : { payload: body as object };
    const caller = { ...who, signal };
    const response = await requestFor(caller, app, { method, url: path, headers, ...payload });
    signal.throwIfAborted();
    if (response.statusCode >= 300) throw errorOf(response.statusCode, response.json());
    return response.json();
  };
}

/**
 * The tools of a caller use the API of this process. Each call passes the same checks as a call over HTTP, with the
 * caller's own headers or as the account that the caller has proved to be. The tools can therefore do nothing that
 * the caller could not do.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Api, errorOf } from 'quarry-mcp/api';
import type { Identity } from '../http/auth.ts';
import { requestFor } from '../http/own-request.ts';
import type { App } from '../http/server.ts';

const CARRIED = ['authorization', 'x-api-key', 'x-organization-id', 'x-principals'];

/** The API authenticates the caller by the headers that the caller has sent. */
export function ownApi(app: App, headers: IncomingHttpHeaders): Api {
  const carried = Object.fromEntries(
    CARRIED.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
  return apiOf(app, carried, {});
}

/** The caller has proved its identity in another way, so the API does not see its token. */
export const apiAs = (app: App, identity: Identity): Api => apiOf(app, {}, { identity });

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

/**
 * The API of this process, for the tools of a caller: each call goes through the same door as over HTTP,
 * with the caller's own headers or as the account that he has proved to be, so that the tools can do nothing
 * that he could not.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Api, errorOf } from 'quarry-mcp/api';
import type { Identity } from '../http/auth.ts';
import { type App, onBehalfOf } from '../http/server.ts';

const CARRIED = ['authorization', 'x-api-key', 'x-organization-id', 'x-principals'];

/** By what the caller has sent. */
export function ownApi(app: App, headers: IncomingHttpHeaders): Api {
  const carried = Object.fromEntries(
    CARRIED.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
  return apiOf(app, carried, {});
}

/** As somebody who has proved it in another way: of his token the API sees nothing. */
export const apiAs = (app: App, identity: Identity): Api => apiOf(app, {}, { identity });

function apiOf(
  app: App,
  headers: Readonly<Record<string, string>>,
  who: { readonly identity?: Identity },
): Api {
  return async ({ method, path, body }, signal) => {
    signal.throwIfAborted();
    const payload = body === undefined ? {} : { payload: body as object };
    // Awaited inside: what inject gives does not begin before that.
    const response = await onBehalfOf.run(
      { ...who, signal },
      async () => await app.inject({ method, url: path, headers, ...payload }),
    );
    signal.throwIfAborted();
    if (response.statusCode >= 300) throw errorOf(response.statusCode, response.json());
    return response.json();
  };
}

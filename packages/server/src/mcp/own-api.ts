/**
 * The API of this process, for the tools of a caller: each call goes through the same door as over HTTP,
 * with the caller's own headers, so that the tools can do nothing that he could not.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Api, errorOf } from 'quarry-mcp/api';
import { type App, onBehalfOf } from '../http/server.ts';

const CARRIED = ['authorization', 'x-api-key', 'x-organization-id', 'x-principals'];

export function ownApi(app: App, headers: IncomingHttpHeaders): Api {
  const carried = Object.fromEntries(
    CARRIED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
  return async ({ method, path, body }, signal) => {
    signal.throwIfAborted();
    const payload = body === undefined ? {} : { payload: body as object };
    // Awaited inside: what inject gives does not begin before that.
    const response = await onBehalfOf.run(
      signal,
      async () => await app.inject({ method, url: path, headers: carried, ...payload }),
    );
    signal.throwIfAborted();
    if (response.statusCode >= 300) throw errorOf(response.statusCode, response.json());
    return response.json();
  };
}

/**
 * Lets pages of other origins call the API (https://fetch.spec.whatwg.org/#http-cors-protocol). Only the named origins
 * may, and only with a key: browsers send no cookies, because no answer allows credentials. The tool server is left out,
 * because it refuses pages of other origins by itself.
 */
import { givenNames, takenNames } from './openapi-headers.ts';
import type { App } from './server.ts';

const PATHS = /^\/(v1\/|health|openapi\.json)/;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const TAKEN = ['Authorization', 'X-API-Key', 'Content-Type', ...takenNames].join(', ');
const GIVEN = givenNames.join(', ');
/** A browser asks again after this time, so that an origin that is no longer named is soon refused. */
const KEPT_SECONDS = 600;

/** The caller must call this before it refuses wrong methods, because a browser first asks with OPTIONS. */
export function allowOrigins(app: App, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (req, reply) => {
    if (!PATHS.test(req.url)) return;
    // A cache must not give the answer for one origin to a page of another.
    void reply.header('vary', 'Origin');
    const { origin, 'access-control-request-method': asked } = req.headers;
    if (origin === undefined || !origins.includes(origin)) return;
    void reply.header('access-control-allow-origin', origin);
    if (req.method !== 'OPTIONS' || asked === undefined) {
      void reply.header('access-control-expose-headers', GIVEN);
      return;
    }
    return reply
      .status(204)
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': TAKEN,
        'access-control-max-age': KEPT_SECONDS,
      })
      .send();
  });
}

/**
 * These are the two addresses that browsers open. They need no key, because the addresses themselves contain secrets.
 */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { PAGE_POLICY, pageOf } from '../../http/page.ts';
import type { App } from '../../http/server.ts';
import type { SignInEnd } from './ends.ts';
import type { BrowserSignIn } from './flow.ts';
import { CALLBACK_PATH } from './links.ts';

/** A parameter that comes twice counts as missing. */
const Text = z.string().optional().catch(undefined);
const NOTHING = z.null().describe('HEAD does nothing.');
const COOKIE_SECONDS = 30 * 60;

export function browserSignInRoutes(app: App, { signIn, origin }: BrowserRoutes): void {
  app.route({
    method: 'GET',
    url: '/v1/source-connections/authorize/:code',
    config: { role: null },
    schema: {
      // Only a browser opens this address, which is the `auth.auth_url` of a connection. In the document, its template
      // could not be told from that of /{id}/reinitiate-oauth.
      hide: true,
      params: z.object({ code: z.string() }),
      response: {
        204: NOTHING,
        303: z.null().describe('The browser goes to the provider.'),
      },
    },
    async handler(req, reply) {
      // Programs that only check whether a link works, such as mail scanners, must not use it up.
      if (req.method === 'HEAD') return reply.status(204).send(null);
      return answer(reply, await signIn.open(req.params.code), origin());
    },
  });

  app.route({
    method: 'GET',
    url: CALLBACK_PATH,
    config: { role: null },
    schema: {
      operationId: 'endSourceSignIn',
      summary: 'End a sign-in (the provider sends the browser here)',
      description:
        'Exchanges the code for tokens, and redirects to the `redirect_uri` of the source connection with `status=success` and `source_connection_id`, or with `status=error`, `error` and `error_description`.',
      tags: ['source connections'],
      // Providers add parameters of their own.
      querystring: z.looseObject({
        state: Text,
        code: Text,
        error: Text,
        error_description: Text,
      }),
      response: {
        204: NOTHING,
        303: z.null().describe('The browser goes back to the caller.'),
      },
    },
    async handler(req, reply) {
      if (req.method === 'HEAD') return reply.status(204).send(null);
      const { id: requestId, span } = req;
      const cookies = cookiesOf(req.headers.cookie ?? '');
      const end = await signIn.callback(req.query, cookies, { requestId, span });
      return answer(reply, end, origin());
    },
  });
}

export interface BrowserRoutes {
  readonly signIn: BrowserSignIn;
  readonly origin: () => string;
}

function answer(reply: FastifyReply, end: SignInEnd, origin: string) {
  // The addresses contain secrets, which no cache and no other site should see.
  void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  if ('redirect' in end) {
    const { cookie, redirect } = end;
    if (cookie) void reply.header('set-cookie', cookieOf(cookie.name, cookie.value, origin));
    return reply.redirect(redirect, 303);
  }
  return reply
    .status(end.status)
    .header('content-security-policy', PAGE_POLICY)
    .type('text/html; charset=utf-8')
    .serializer((text: string) => text)
    .send(pageOf(end.title, end.text));
}

/** Lax sends the cookie with the redirect of the provider, and with no request that another site makes by itself. */
function cookieOf(name: string, value: string, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=${CALLBACK_PATH}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/** Parses the header of RFC 6265, 4.2. Our own cookies have no characters that would need decoding. */
const cookiesOf = (header: string): ReadonlyMap<string, string> =>
  new Map(
    header.split(';').flatMap((pair): [string, string][] => {
      const at = pair.indexOf('=');
      return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
    }),
  );

/** These are the HTTP routes by which browsers sign in through the issuer, and by which a page learns of the ways. */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { App } from '../http/server.ts';
import { type CookiePlace, setSessionCookie } from '../http/session-cookie.ts';
import { ISSUER_CALLBACK, ISSUER_PATH, type IssuerSignIn } from './issuer-sign-in.ts';
import { SignInMethods } from './schema.ts';
import { MAX_AGE_MS } from './session-ends.ts';
import type { SignInRefusal } from './sign-in-refusal.ts';

const tags = ['sign-in'];
/** A parameter that comes twice counts as missing. */
const Text = z.string().optional().catch(undefined);
const NOTHING = z.null().describe('HEAD does nothing.');
const COOKIE_SECONDS = 10 * 60;
const NO_ISSUER: SignInRefusal = { refused: 'no_issuer', to: null };

interface IssuerRoutes {
  /** It is null when nobody signs in through an issuer. */
  readonly issuer: IssuerSignIn | null;
  readonly cookies: CookiePlace;
}

export function issuerRoutes(app: App, { issuer, cookies: place }: IssuerRoutes): void {
  app.route({
    method: 'GET',
    url: '/v1/auth/methods',
    config: { role: null },
    schema: {
      operationId: 'getSignInMethods',
      summary: 'Say by which ways people sign in',
      tags,
      response: { 200: SignInMethods },
    },
    handler: async () => ({
      password: true as const,
      issuer: issuer && { name: issuer.name, url: issuer.url() },
    }),
  });

  app.route({
    method: 'GET',
    url: ISSUER_PATH,
    config: { role: null },
    schema: {
      operationId: 'beginIssuerSignIn',
      summary: 'Begin to sign in through the issuer (a browser opens this)',
      description:
        'Redirects to the issuer that the operator has set, and afterwards to `to`, which is a path of this service. Another address counts as missing.',
      tags,
      querystring: z.looseObject({ to: Text }),
      response: {
        204: NOTHING,
        303: z
          .null()
          .describe(
            'The browser goes to the issuer, or to the sign-in page if that cannot be asked.',
          ),
      },
    },
    async handler(req, reply) {
      if (req.method === 'HEAD') return reply.status(204).send(null);
      const begun = (await issuer?.begin(req.query.to)) ?? NO_ISSUER;
      if ('refused' in begun) return redirect(reply, signInPage(place.origin(), begun));
      setSecret(reply, place, { ...begun.secret, maxAge: COOKIE_SECONDS });
      return redirect(reply, begun.redirect);
    },
  });

  app.route({
    method: 'GET',
    url: ISSUER_CALLBACK,
    config: { role: null },
    schema: {
      operationId: 'endIssuerSignIn',
      summary: 'End a sign-in through the issuer (the issuer sends the browser here)',
      description:
        'Opens a session, sets its cookie, and redirects to the page that the person had asked for. Without a session it redirects to the sign-in page, with a code in `refused` that says why.',
      tags,
      // Issuers add parameters of their own.
      querystring: z.looseObject({ state: Text, code: Text, error: Text, iss: Text }),
      response: { 204: NOTHING, 303: z.null().describe('The browser goes to the dashboard.') },
    },
    async handler(req, reply) {
      // The code works once, so a program that only checks the address must not use it up.
      if (req.method === 'HEAD') return reply.status(204).send(null);
      const device = { address: req.ip, userAgent: req.headers['user-agent'] };
      const { state, code, error, iss } = req.query;
      const brought = parseCookie(req.headers.cookie ?? '');
      const ended = (await issuer?.end({ state, code, error, iss }, brought, device)) ?? NO_ISSUER;
      if ('refused' in ended) return redirect(reply, signInPage(place.origin(), ended));
      setSessionCookie(reply, place, { token: ended.token, maxAgeMs: MAX_AGE_MS });
      return redirect(reply, `${place.origin()}${ended.to ?? '/'}`);
    },
  });
}

/** The addresses contain secrets, which no cache and no other site should see. */
function redirect(reply: FastifyReply, to: string) {
  void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  return reply.redirect(to, 303);
}

/** The sign-in page says what the code means, and leads on to the page that the person had asked for. */
function signInPage(origin: string, { refused, to }: SignInRefusal) {
  const page = new URL('/sign-in', origin);
  page.searchParams.set('refused', refused);
  if (to !== null) page.searchParams.set('to', to);
  return page.href;
}

/** Lax sends the cookie with the redirect of the issuer, and with no request that another site makes by itself. */
function setSecret(
  reply: FastifyReply,
  { origin }: CookiePlace,
  secret: { readonly name: string; readonly value: string; readonly maxAge: number },
): void {
  const cookie = stringifySetCookie({
    ...secret,
    path: ISSUER_CALLBACK,
    httpOnly: true,
    sameSite: 'lax',
    secure: origin().startsWith('https:'),
  });
  void reply.header('set-cookie', cookie);
}

/** These are the HTTP routes by which browsers sign in through the issuer, and by which a page learns of the ways. */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { PAGE_POLICY, pageOf } from '../http/page.ts';
import type { App } from '../http/server.ts';
import { type CookiePlace, setSessionCookie } from '../http/session-cookie.ts';
import { ISSUER_CALLBACK, ISSUER_PATH, type IssuerSignIn } from './issuer-sign-in.ts';
import { SignInMethods } from './schema.ts';
import { MAX_AGE_MS } from './session-ends.ts';

const tags = ['sign-in'];
/** A parameter that comes twice counts as missing. */
const Text = z.string().optional().catch(undefined);
const NOTHING = z.null().describe('HEAD does nothing.');
const COOKIE_SECONDS = 10 * 60;

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
      summary: 'Begin to sign in through the issuer (a browser opens this)',
      description: 'Redirects to the issuer that the operator has set.',
      tags,
      response: { 204: NOTHING, 303: z.null().describe('The browser goes to the issuer.') },
    },
    async handler(req, reply) {
      if (req.method === 'HEAD') return reply.status(204).send(null);
      return inBrowser(reply, async () => {
        const { redirect, secret } = await needed(issuer).begin();
        setSecret(reply, place, { ...secret, maxAge: COOKIE_SECONDS });
        return redirect;
      });
    },
  });

  app.route({
    method: 'GET',
    url: ISSUER_CALLBACK,
    config: { role: null },
    schema: {
      summary: 'End a sign-in through the issuer (the issuer sends the browser here)',
      description: 'Opens a session, sets its cookie, and redirects to the dashboard.',
      tags,
      // Issuers add parameters of their own.
      querystring: z.looseObject({ state: Text, code: Text, error: Text, iss: Text }),
      response: { 204: NOTHING, 303: z.null().describe('The browser goes to the dashboard.') },
    },
    async handler(req, reply) {
      // The code works once, so a program that only checks the address must not use it up.
      if (req.method === 'HEAD') return reply.status(204).send(null);
      return inBrowser(reply, async () => {
        const device = { address: req.ip, userAgent: req.headers['user-agent'] };
        const { state, code, error, iss } = req.query;
        const brought = parseCookie(req.headers.cookie ?? '');
        const answer = { state, code, error, iss };
        const { token } = await needed(issuer).end(answer, brought, device);
        setSessionCookie(reply, place, { token, maxAgeMs: MAX_AGE_MS });
        return `${place.origin()}/`;
      });
    },
  });
}

function needed(issuer: IssuerSignIn | null): IssuerSignIn {
  if (issuer) return issuer;
  throw new AppError(404, 'nobody signs in through an issuer here: sign in by password', {
    code: 'not_found',
  });
}

/** The browser goes where the work says. An error for the person is shown as a page. */
async function inBrowser(reply: FastifyReply, work: () => Promise<string>) {
  // The addresses contain secrets, which no cache and no other site should see.
  void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  try {
    return reply.redirect(await work(), 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return reply
      .status(error.status)
      .header('content-security-policy', PAGE_POLICY)
      .type('text/html; charset=utf-8')
      .serializer((text: string) => text)
      .send(pageOf('Not signed in', `${error.message}.`));
  }
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

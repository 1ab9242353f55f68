/** These are the HTTP routes by which people sign in and see their sessions. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sendWhole } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import {
  type CookiePlace,
  refuseForeignPage,
  sessionTokenOf,
  setSessionCookie,
} from '../http/session-cookie.ts';
import type { Device, OpenedSession } from './open-session.ts';
import {
  Acceptance,
  InvitationTerms,
  InvitationToken,
  Me,
  PasswordChange,
  PasswordSignIn,
  Session,
  StartToken,
} from './schema.ts';
import { MAX_AGE_MS } from './session-ends.ts';
import type { Sessions } from './session-service.ts';
import type { StartSignIn } from './start-link.ts';

const tags = ['sign-in'];
const deviceOf = ({ ip, headers }: FastifyRequest): Device => ({
  address: ip,
  userAgent: headers['user-agent'],
});

interface SessionRoutes {
  readonly sessions: Sessions;
  readonly signInByLink: StartSignIn;
  readonly cookies: CookiePlace;
}

export function sessionRoutes(
  app: App,
  { sessions, signInByLink, cookies: place }: SessionRoutes,
): void {
  const setCookie = (reply: FastifyReply, { token, me }: OpenedSession): Me => {
    setSessionCookie(reply, place, { token, maxAgeMs: MAX_AGE_MS });
    return me;
  };

  app.route({
    method: 'POST',
    url: '/v1/auth/sign-in',
    config: { role: null, audit: 'session.opened' },
    schema: {
      operationId: 'signIn',
      summary: 'Sign in by password',
      description:
        'Sets the http-only cookie of a session. Answers 429 after ten failures of the account, or from the address, within 15 minutes.',
      tags,
      body: PasswordSignIn,
      response: { 200: Me },
    },
    async handler(req, reply) {
      refuseForeignPage(req, place);
      return setCookie(reply, await sessions.signIn(req.body, deviceOf(req)));
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/auth/start',
    config: { role: null, audit: 'session.opened' },
    schema: {
      operationId: 'signInByStartLink',
      summary: 'Sign in by the link that a start prints',
      description:
        'The token works once and for 24 hours. Answers 401 for another one, and 429 after ten failures from the address within 15 minutes.',
      tags,
      body: StartToken,
      response: { 200: Me },
    },
    async handler(req, reply) {
      refuseForeignPage(req, place);
      return setCookie(reply, await signInByLink(req.body.token, deviceOf(req)));
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/auth/invitation',
    config: { role: null, audit: null },
    schema: {
      operationId: 'getInvitation',
      summary: 'Show what an invitation is for',
      description:
        'The token is in the body, so that no log has it. Answers 404 for an invitation that was used or withdrawn or is too old, and 429 after ten failures from the address within 15 minutes.',
      tags,
      body: InvitationToken,
      response: { 200: InvitationTerms },
    },
    handler: (req) => sessions.invitation(req.body.token, req.ip),
  });

  app.route({
    method: 'POST',
    url: '/v1/auth/accept',
    config: { role: null, audit: 'member.joined' },
    schema: {
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation, and sign in',
      tags,
      body: Acceptance,
      response: { 200: Me },
    },
    async handler(req, reply) {
      refuseForeignPage(req, place);
      return setCookie(reply, await sessions.accept(req.body, deviceOf(req)));
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/auth/sign-out',
    config: { role: null, audit: 'session.ended' },
    schema: {
      operationId: 'signOut',
      summary: 'End the session of this browser',
      description: 'A browser without a session gets the same answer.',
      tags,
      response: { 200: z.object({ signed_out: z.literal(true) }) },
    },
    async handler(req, reply) {
      refuseForeignPage(req, place);
      const token = sessionTokenOf(req.headers, place);
      if (token !== undefined) await sessions.signOut(token, req.ip);
      setSessionCookie(reply, place, { token: '', maxAgeMs: 0 });
      return { signed_out: true as const };
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/auth/me',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getMe',
      summary: 'Show the account of the session or key, and its organizations',
      tags,
      response: { 200: Me },
    },
    handler: (req) => sessions.me(req.ctx),
  });

  app.route({
    method: 'GET',
    url: '/v1/auth/sessions',
    config: { role: 'read' },
    schema: {
      operationId: 'listSessions',
      summary: 'List the open sessions of your account, the last used first',
      tags,
      response: { 200: z.array(Session) },
    },
    handler: async (req, reply) => sendWhole(reply, await sessions.list(req.ctx)),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/auth/sessions/:id',
    config: { role: 'read', audit: 'session.ended' },
    schema: {
      operationId: 'endSession',
      summary: 'End a session of your account',
      tags,
      params: z.object({ id: z.string() }),
      response: { 200: Session },
    },
    handler: (req) => sessions.remove(req.ctx, req.params.id),
  });

  app.route({
    method: 'POST',
    url: '/v1/auth/password',
    config: { role: 'read', audit: 'password.changed' },
    schema: {
      operationId: 'setPassword',
      summary: 'Set or change the password of your account',
      description: 'All other sessions of the account end.',
      tags,
      body: PasswordChange,
      response: { 200: Me },
    },
    handler: (req) => sessions.changePassword(req.ctx, req.body),
  });
}

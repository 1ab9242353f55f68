/** A caller of the tool server has an API key, or is a person with an OAuth token. */
import type { FastifyRequest } from 'fastify';
import { apiKeyOf, type Identity } from '../http/auth.ts';
import { callerOf } from '../http/caller.ts';
import type { OAuth } from './oauth/resource.ts';
import { McpRefusal } from './refusal.ts';
import type { SessionClient } from './sessions.ts';

const KEY_FORM = /^quarry_[A-Za-z0-9_-]{43}$/;

/** Returns the bearer token, or undefined when the caller has sent an API key or nothing. */
export function tokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const bearer = apiKeyOf({ authorization: headers.authorization });
  return headers['x-api-key'] || bearer === undefined || KEY_FORM.test(bearer) ? undefined : bearer;
}

/**
 * Returns the identity of a caller with a token. Returns undefined when the caller has sent no token, or when no issuer
 * is configured. Throws the errors of `identify`, and a McpRefusal when the caller also names an organization.
 */
export async function identityByToken(
  oauth: OAuth | null,
  req: FastifyRequest,
): Promise<Identity | undefined> {
  const token = tokenOf(req);
  if (!oauth || token === undefined) return undefined;
  if (req.headers['x-organization-id'] !== undefined)
    throw new McpRefusal(
      400,
      'a token reaches every organization of its account: leave out X-Organization-ID',
      { code: 'invalidParams' },
    );
  return oauth.identify(token);
}

export const isPerson = ({ ctx }: FastifyRequest): boolean => ctx.person !== undefined;

export const clientOf = (req: FastifyRequest): SessionClient => ({
  key: callerOf(req),
  address: req.ip,
  userAgent: req.headers['user-agent'] ?? '',
});

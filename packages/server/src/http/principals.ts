/**
 * An admin key, or a key with search_as, may search as another person with the header `X-Principals: user:a@b.c,
 * group:x`.
 */
import type { FastifyRequest } from 'fastify';
import { forbidden, invalid, shown } from '../errors.ts';

const PRINCIPAL = /^(user|group):\S/;

type AuthenticatedRequest = Pick<FastifyRequest, 'ctx' | 'headers'>;

/** Throws a 403 when a caller sends the header but may not search as another person. */
export function refusePrincipals({ ctx, headers }: AuthenticatedRequest): void {
  if (headers['x-principals'] !== undefined && ctx.role !== 'admin' && !ctx.searchAs)
    throw forbidden(
      'only an admin key, or one with search_as, may search as another person (X-Principals)',
    );
}

/**
 * Returns the principals in the header. Without the header, a person who signed in without a key searches as that
 * person, and a search with a key is not limited by access control (null).
 */
export function principalsOf({ ctx, headers }: AuthenticatedRequest): string[] | null {
  const header = headers['x-principals'];
  if (header === undefined) return ctx.person === undefined ? null : [ctx.person];
  refusePrincipals({ ctx, headers });
  const principals = decoded(String(header))
    .split(',')
    .map((part) => part.trim());
  const wrong = principals.find((principal) => !PRINCIPAL.test(principal));
  if (wrong !== undefined)
    throw invalid(
      `'${shown(wrong)}' is not a principal: use user:<e-mail> or group:<name>, separated by commas`,
      {
        loc: ['headers', 'x-principals'],
      },
    );
  return [...new Set(principals)];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Node decodes headers as Latin-1, but most clients send UTF-8. So the header is decoded as UTF-8 when its bytes are
 * valid UTF-8, which Latin-1 text outside ASCII hardly ever is.
 */
function decoded(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, 'latin1'));
  } catch {
    // The bytes are not valid UTF-8, so the header is Latin-1.
    return header;
  }
}

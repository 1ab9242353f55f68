/** An admin, or a key with search_as, searches as the person in the header `X-Principals: user:a@b.c, group:x`. */
import type { FastifyRequest } from 'fastify';
import { forbidden, invalid, shown } from '../errors.ts';

const PRINCIPAL = /^(user|group):\S/;

type AuthenticatedRequest = Pick<FastifyRequest, 'ctx' | 'headers'>;

/** Throws a 403 for the header from a caller who may not search as another person. */
export function refusePrincipals({ ctx, headers }: AuthenticatedRequest): void {
  if (headers['x-principals'] !== undefined && ctx.role !== 'admin' && !ctx.searchAs)
    throw forbidden(
      'only an admin key, or one with search_as, may search as another person (X-Principals)',
    );
}

/** Returns null for a key without the header, because access control does not apply to the key itself. */
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
 * Node reads the bytes of a header as Latin-1. Most clients write UTF-8, and a name in Latin-1 is hardly ever valid
 * UTF-8.
 */
function decoded(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, 'latin1'));
  } catch {
    // The header is Latin-1 indeed.
    return header;
  }
}

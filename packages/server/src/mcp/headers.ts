/** These are the headers of the tool server. */
import type { FastifyRequest } from 'fastify';

/** It names the session. */
export const SESSION = 'mcp-session-id';
/** It has the readable_id of the collection to search. */
export const COLLECTION = 'x-collection-readable-id';

export function headerOf(req: FastifyRequest, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

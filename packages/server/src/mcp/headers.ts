/** These are the headers of the tool server. */
import type { FastifyRequest } from 'fastify';

/** It names the session. */
export const SESSION = 'mcp-session-id';
/** It narrows the tools to the collection with this readable_id. */
export const COLLECTION = 'x-collection-readable-id';

export function headerOf(req: FastifyRequest, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

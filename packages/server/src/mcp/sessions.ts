/**
 * These are the sessions of the hosted tool server. A session id shows which requests belong together; it does not
 * authenticate the client. Every request must also have the key or token, and must come from the address and user agent
 * that began the session.
 *
 * Sessions are held in the memory of this process. After a restart, or in another process behind the same address, a
 * session is unknown, and the client is told to begin a new one.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { McpRefusal } from './refusal.ts';

const IDLE_MS = 30 * 60_000;
const HOUR_MS = 3_600_000;
const SESSIONS_PER_HOUR = 100;
/** There are at most this many sessions of all keys together; the least recently used session is dropped. */
const MAX_SESSIONS = 100_000;

export interface SessionClient {
  /** This identifies the owner of the session: the SHA-256 digest of a key, or an account. */
  readonly key: string;
  readonly address: string;
  readonly userAgent: string;
}

export interface McpSession extends SessionClient {
  readonly id: string;
  /** This is the readable_id of the collection, or null for all collections that the caller reaches. */
  readonly collection: string | null;
}

export function createSessions() {
  const sessions = new LRUCache<string, McpSession>({
    // With the option `max`, the cache would reserve memory for all sessions at its start.
    maxSize: MAX_SESSIONS,
    sizeCalculation: () => 1,
    ttl: IDLE_MS,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now: () => Date.now() },
  });
  let hour = 0;
  let opened = new Map<string, number>();

  /**
   * Counts a new session of the key or account. Throws a 429 when there are too many in the current hour of the clock.
   */
  function count(key: string): void {
    const now = Date.now();
    const current = Math.floor(now / HOUR_MS);
    if (current !== hour) opened = new Map();
    hour = current;
    const before = opened.get(key) ?? 0;
    if (before >= SESSIONS_PER_HOUR) {
      const rest = ((current + 1) * HOUR_MS - now) / 1000;
      throw new McpRefusal(429, 'Rate limit exceeded', {
        code: 'tooManySessions',
        retryAfter: rest,
      });
    }
    opened.set(key, before + 1);
  }

  function find(id: string, client: SessionClient): McpSession {
    const session = sessions.get(id);
    // A caller with another key gets the same answer as for an unknown session.
    if (!session || session.key !== client.key)
      throw new McpRefusal(404, 'Session not found: leave out mcp-session-id to begin a new one', {
        code: 'sessionUnknown',
      });
    if (session.address !== client.address || session.userAgent !== client.userAgent)
      throw new McpRefusal(
        403,
        'This session belongs to another client address or user agent: leave out mcp-session-id to begin a new one',
        { code: 'clientMismatch' },
      );
    return session;
  }

  return {
    find,

    open(client: SessionClient, collection: string | null): McpSession {
      count(client.key);
      const session = { ...client, id: randomUUID(), collection };
      sessions.set(session.id, session);
      return session;
    },

    end(id: string, client: SessionClient): void {
      sessions.delete(find(id, client).id);
    },
  };
}

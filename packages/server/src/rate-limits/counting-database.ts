/**
 * On SQLite, admissions have a connection of their own, whose commits do not wait for the disk: an fsync for each
 * request takes as long as a fast request itself. Admissions survive the end of the process. After a loss of power,
 * those of the last moments may be missing (docs/decisions/0024-source-rate-limits.md).
 */
import type { Kysely } from 'kysely';
import { connect, type DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';

export interface CountingDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  /** `connect` takes this address; it is null when only `db` reaches the database. */
  readonly url: string | null;
  /** An admission waits at most this long for another writer (SQLite only). */
  readonly lockWaitMs?: number;
}

/**
 * Returns `db` itself if its commits are cheap enough. Otherwise returns a new connection, which the caller must close.
 */
export function countingDatabase({ db, kind, url, lockWaitMs = 5000 }: CountingDeps) {
  if (kind !== 'sqlite' || url === null) return db;
  return connect(url, { lockWaitMs, durability: 'process', maxConnections: 1 });
}

/**
 * An organization may limit how often a source is asked. A row of `source_rate_limits` is such a limit. A window counts
 * requests; `source_admissions` has its admitted requests, numbered without gaps, and `source_waits` the connections that
 * wait for their turn in it (docs/decisions/0024-source-rate-limits.md).
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../connect.ts';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  (kind: DatabaseKind, { rowid, serial, autoIncrement }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('source_rate_limits')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('source_short_name', 'text', (c) => c.notNull())
      .addColumn('max_requests', 'integer', (c) => c.notNull())
      .addColumn('window_seconds', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .addUniqueConstraint('source_rate_limits_name', ['organization_id', 'source_short_name'])
      .execute();
    await db.schema
      .createTable('source_windows')
      .addColumn('id', serial, (c) => autoIncrement(c.primaryKey()))
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('source_short_name', 'text', (c) => c.notNull())
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addUniqueConstraint('source_windows_key', [
        'organization_id',
        'source_short_name',
        'connection_id',
      ])
      .execute();
    const admissions = db.schema
      .createTable('source_admissions')
      .addColumn('window_id', rowid, (c) => c.notNull())
      .addColumn('seq', 'bigint', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('skew', 'bigint', (c) => c.notNull())
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('source_admissions_pk', ['window_id', 'seq']);
    await (kind === 'sqlite' ? admissions.modifyEnd(sql`without rowid`) : admissions).execute();
    await db.schema
      .createTable('source_waits')
      .addColumn('window_id', rowid, (c) => c.notNull())
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('since', 'bigint', (c) => c.notNull())
      .addColumn('until', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('source_waits_pk', ['window_id', 'connection_id'])
      .execute();
  };

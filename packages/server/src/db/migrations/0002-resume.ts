/**
 * This migration adds what a full pull needs to go on where it stopped, what a job needs to say what it waits for, and
 * an index that finds the groups of a member quickly.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json, flag }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('sync_jobs').addColumn('bookmark', json).execute();
    await db.schema.alterTable('sync_jobs').addColumn('waits_for', 'text').execute();
    await db.schema.alterTable('sync_jobs').addColumn('waits_until', 'bigint').execute();
    await db.schema
      .alterTable('sync_jobs')
      .addColumn('retries', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('job_failures')
      .addColumn('settled', flag, (c) => c.notNull().defaultTo(sql`false`))
      .execute();
    // This is the generation of the last pull that could not take in the record: the stored entity stays.
    await db.schema
      .alterTable('entities')
      .addColumn('spared', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('job_partitions')
      .addColumn('job_id', 'text', (c) => c.notNull())
      .addColumn('partition', 'text', (c) => c.notNull())
      .addColumn('is_listed', flag, (c) => c.notNull())
      .addColumn('lost', flag, (c) => c.notNull())
      .addPrimaryKeyConstraint('job_partitions_pk', ['job_id', 'partition'])
      .execute();
    // The index quickly finds the groups that a person or a group is in, even when there are many.
    await db.schema
      .createIndex('group_members_member')
      .on('group_members')
      .columns(['member', 'connection_id', 'group_name'])
      .execute();
  };

/**
 * The column holds the terms of a chunk as numbers for the ranking. It is null in older rows, whose terms are made
 * from their text.
 */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up = (types: ColumnTypes) => async (db: Kysely<unknown>) => {
  await db.schema.alterTable('chunk_bodies').addColumn('terms', types.bytes).execute();
};

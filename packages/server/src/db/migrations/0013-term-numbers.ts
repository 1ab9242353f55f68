/** The terms of a chunk as numbers, for the ranking. Null in rows of before: theirs are made of the text. */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../connect.ts';

export const up = (types: ColumnTypes) => async (db: Kysely<unknown>) => {
  await db.schema.alterTable('chunk_bodies').addColumn('terms', types.bytes).execute();
};

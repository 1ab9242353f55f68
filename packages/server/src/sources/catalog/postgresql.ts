/** This source reads rows of tables, or of queries. Each row is an entity. */
import { z } from 'zod';
import { defineSource } from '../define.ts';
import { Credentials } from '../postgresql/credentials.ts';
import { openDatabase } from '../postgresql/database.ts';
import { checkWith } from '../sql/check.ts';
import { selectionOf } from '../sql/config.ts';
import { pullWith, TableCursor } from '../sql/pull.ts';

export const postgresql = defineSource({
  shortName: 'postgresql',
  name: 'PostgreSQL',
  description: 'Rows of the tables or queries you choose.',
  labels: ['Database'],
  auth: { direct: { fields: Credentials } },
  config: selectionOf('schema'),
  cursor: TableCursor,
  needsCursorField: true,
  deletions: 'listed',
  /**
   * The fields of an entity are the columns of its row; the value of a bytea column is its length in bytes. The type of
   * an entity is the table of its row.
   */
  entities: { PostgresRow: z.looseObject({}) },
  otherTypes: 'PostgresRow',
  evidence: [{ class: 'A', by: 'PostgreSQL', asOf: '15' }],
  rateLimitLevel: null,
  check: checkWith(openDatabase),
  pull: pullWith(openDatabase),
});

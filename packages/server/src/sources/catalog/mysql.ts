/** This source reads rows of tables, or of queries, of MySQL and MariaDB. Each row is an entity. */
import { z } from 'zod';
import { defineSource } from '../define.ts';
import { MysqlCredentials } from '../mysql/credentials.ts';
import { checkWith } from '../sql/check.ts';
import { selectionOf } from '../sql/config.ts';
import type { DatabaseOpener } from '../sql/database.ts';
import { pullWith, TableCursor } from '../sql/pull.ts';

/** The import is late because a start without MySQL would spend 50 ms on its driver. */
const openDatabase: DatabaseOpener<MysqlCredentials> = async (ctx, statementMs) =>
  (await import('../mysql/database.ts')).openDatabase(ctx, statementMs);

export const mysql = defineSource({
  shortName: 'mysql',
  name: 'MySQL',
  description: 'Rows of the tables or queries you choose, of MySQL or MariaDB.',
  labels: ['Database'],
  auth: { direct: { fields: MysqlCredentials } },
  config: selectionOf('database'),
  cursor: TableCursor,
  needsCursorField: true,
  deletions: 'listed',
  /**
   * The fields of an entity are the columns of its row; the value of a binary column is its length in bytes. The type
   * of an entity is the table of its row.
   */
  entities: { MysqlRow: z.looseObject({}) },
  otherTypes: 'MysqlRow',
  evidence: [{ class: 'A', by: 'MariaDB', asOf: '10.11' }],
  rateLimitLevel: null,
  check: checkWith(openDatabase),
  pull: pullWith(openDatabase),
});

/** This source reads rows of tables, or of queries. Each row is an entity. */
import { z } from 'zod';
import { defineSource } from '../define.ts';
import { check } from '../postgresql/check.ts';
import { Credentials } from '../postgresql/credentials.ts';
import { pull } from '../postgresql/pull.ts';

const name = z.string().min(1).max(255);
const unique = (names: readonly string[]) => new Set(names).size === names.length;

const Query = z.strictObject({
  name,
  query: z.string().min(1).max(100_000),
  key: z.array(name).min(1).max(32).default(['id']),
});

const Config = z
  .strictObject({
    tables: z.array(name).min(1).max(1000).refine(unique, 'names a table twice').optional().meta({
      title: 'Tables',
      description:
        'Tables of the schema, or of any schema as schema.table. Without tables, schemas and queries all tables of the schema are read, but no views.',
    }),
    schemas: z.array(name).min(1).max(100).refine(unique, 'names a schema twice').optional().meta({
      title: 'Schemas',
      description: 'Instead of tables: all tables of these schemas, but no views.',
    }),
    queries: z
      .array(Query)
      .min(1)
      .max(100)
      .refine((queries) => unique(queries.map((query) => query.name)), 'gives two queries one name')
      .optional()
      .meta({
        title: 'Queries',
        description:
          'Instead of tables and schemas: objects {name, query, key}. `key` lists the columns that identify a row; without it, the column `id` does.',
      }),
  })
  .refine(
    ({ tables, schemas, queries }) => [tables, schemas, queries].filter(Boolean).length <= 1,
    'give one of tables, schemas and queries',
  );

export const postgresql = defineSource({
  shortName: 'postgresql',
  name: 'PostgreSQL',
  description: 'Rows of the tables or queries you choose.',
  labels: ['Database'],
  auth: { direct: { fields: Credentials } },
  config: Config,
  cursor: z.strictObject({
    field: z.string(),
    marks: z.record(z.string(), z.string()),
    types: z.record(z.string(), z.string()).optional(),
  }),
  needsCursorField: true,
  deletions: 'listed',
  /**
   * The fields of an entity are the columns of its row; the value of a bytea column is its length in bytes. The type of
   * an entity is the table of its row.
   */
  entities: { PostgresRow: z.looseObject({}) },
  otherTypes: 'PostgresRow',
  rateLimitLevel: null,
  check,
  pull,
});

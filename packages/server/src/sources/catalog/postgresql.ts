/** PostgreSQL: rows of tables, or of queries. Each row is an entity. */
import { z } from 'zod';
import { defineSource, secret } from '../define.ts';
import { check } from '../postgresql/check.ts';
import { ENTITY_TYPE } from '../postgresql/entity.ts';
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
        'Tables of the schema. Without tables and queries all of them are read, but no views.',
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
          'Instead of tables: {name, query, key}. The columns in key tell the rows apart; without it the column id does.',
      }),
  })
  .refine(({ tables, queries }) => !tables || !queries, 'give either tables or queries, not both');

const Credentials = z.object({
  host: name.meta({
    title: 'Host',
    description: 'Name or address of the server, or the folder of its socket.',
  }),
  port: z.int().min(1).max(65535).default(5432).meta({
    title: 'Port',
    description: 'Port of the server.',
  }),
  database: name.meta({ title: 'Database', description: 'Name of the database.' }),
  user: name.meta({ title: 'User', description: 'A role that may read the tables.' }),
  password: secret('Password', 'Password of the role.'),
  schema: name.default('public').meta({
    title: 'Schema',
    description: 'Schema of the tables, and where queries look first.',
  }),
  ssl: z.enum(['prefer', 'verify']).default('prefer').meta({
    title: 'TLS',
    description:
      'prefer: encrypted when the server can. verify: always, and only to a server whose certificate proves its name.',
  }),
});

export const postgresql = defineSource({
  shortName: 'postgresql',
  name: 'PostgreSQL',
  description: 'Rows of the tables or queries you choose.',
  labels: ['Database'],
  auth: { methods: ['direct'], fields: Credentials },
  config: Config,
  cursor: z.strictObject({
    field: z.string(),
    marks: z.record(z.string(), z.string()),
    types: z.record(z.string(), z.string()).optional(),
  }),
  /** The columns of the row: bytea as its length in bytes. */
  entities: { [ENTITY_TYPE]: z.looseObject({}) },
  rateLimitLevel: null,
  check,
  pull,
});

/** The configuration of a database says which tables are read, or which queries. */
import { z } from 'zod';

const name = z.string().min(1).max(255);
const unique = (names: readonly string[]) => new Set(names).size === names.length;

const Query = z.strictObject({
  name,
  query: z.string().min(1).max(100_000),
  key: z.array(name).min(1).max(32).default(['id']),
});
export type Query = z.infer<typeof Query>;

/** `schema` is the word of the server for a part of it that holds tables, such as 'schema' or 'database'. */
export const selectionOf = (schema: string) =>
  z
    .strictObject({
      tables: z
        .array(name)
        .min(1)
        .max(1000)
        .refine(unique, 'names a table twice')
        .optional()
        .meta({
          title: 'Tables',
          description: `Tables of the ${schema}, or of any ${schema} as ${schema}.table. Without tables, schemas and queries all tables of the ${schema} are read, but no views.`,
        }),
      schemas: z
        .array(name)
        .min(1)
        .max(100)
        .refine(unique, `names a ${schema} twice`)
        .optional()
        .meta({
          title: 'Schemas',
          description: `Instead of tables: all tables of these ${schema}s, but no views.`,
        }),
      queries: z
        .array(Query)
        .min(1)
        .max(100)
        .refine(
          (queries) => unique(queries.map((query) => query.name)),
          'gives two queries one name',
        )
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
/** A table in the schema of the credentials has its name alone; any other table has the form `schema.table`. */
export type Selection = z.infer<ReturnType<typeof selectionOf>>;

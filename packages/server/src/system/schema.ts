/** This is the wire shape of the state of the service. */
import { z } from 'zod';
import { LIVE_TASK_STATUSES, MAINTENANCE_KINDS } from '../model/maintenance-status.ts';
import { DEGRADABLE } from '../search/schema.ts';

const count = z.int().min(0);
const bytes = z.int().min(0);
const Model = z.object({ model: z.string(), is_built_in: z.boolean() });

export const SystemState = z
  .object({
    version: z.string().describe('Version of Quarry.'),
    node_version: z.string(),
    command_line: z
      .string()
      .nullable()
      .describe(
        'Beginning of a command that finds this service by itself, in a terminal of its machine; in the folder of Quarry, where it begins with npm. Null where a command must be told the address and a key.',
      ),
    roles: z.array(z.string()).describe('Parts that the process runs which answers.'),
    started_at: z.iso.datetime(),
    uptime_seconds: count,
    not_ready: z
      .array(z.string())
      .describe('Reasons why the service cannot serve now; empty when it can.'),
    database: z.object({
      kind: z.enum(['sqlite', 'postgresql']),
      version: z.string(),
      size_bytes: bytes.describe('Size of the whole database, with all organizations.'),
      newest_migration: z.string(),
    }),
    index: z.object({
      words: z
        .enum(['memory', 'pg_textsearch'])
        .describe('What finds words: lists in the memory of the process, or pg_textsearch.'),
      vectors: z
        .enum(['scan', 'pgvector'])
        .describe('What compares meaning: a scan in memory, or pgvector.'),
      records: count.describe('Records of the organization.'),
      passages: count.describe('Passages of the organization that searches can find.'),
      without_vectors: z
        .array(z.object({ collection_readable_id: z.string(), records: count }))
        .describe(
          'Collections with records that searches find by words only, because the embedder has changed; 100 at most. A reindex or the next full sync makes their vectors again.',
        ),
      to_extract: z
        .array(
          z.object({
            kind: z.string().describe('Kind of the documents, such as `pdf`.'),
            records: count,
          }),
        )
        .describe(
          'Documents that the next full sync of their connection reads again, because a newer version of Quarry extracts more of their kind.',
        ),
    }),
    models: z.object({
      embedder: Model.extend({ dimensions: count }),
      reranker: Model,
      language_models: z
        .array(z.string())
        .describe('The first is asked, the next ones when it fails. Empty when none is set up.'),
      degraded: z
        .array(z.enum(DEGRADABLE))
        .describe(
          'Options of searches that a built-in method serves, because no model for them is set up.',
        ),
    }),
    memory: z
      .object({
        rss_bytes: bytes.describe('Memory that the process takes.'),
        limit_bytes: bytes.describe('Memory that the machine or its container has.'),
        index_budget_bytes: bytes.describe(
          'Memory that vectors and words may take in each search thread (QUARRY_INDEX_MEMORY_MB).',
        ),
        max_search_threads: count,
      })
      .describe('Memory of the process that answers.'),
    jobs: z
      .object({
        syncs_running: count.describe('Syncs that a worker works on.'),
        syncs_waiting: count.describe(
          'Syncs that wait for a worker, for their source or for room.',
        ),
        maintenance: z
          .array(
            z.object({
              id: z.uuid(),
              kind: z.enum(MAINTENANCE_KINDS),
              status: z.enum(LIVE_TASK_STATUSES),
              collection_readable_id: z.string(),
              entities_total: count,
              entities_done: count,
            }),
          )
          .describe('Runs of the doctor and reindexes, the oldest first; 100 at most.'),
      })
      .describe('Jobs of the organization that have not ended.'),
  })
  .meta({ id: 'SystemState' });
export type SystemState = z.infer<typeof SystemState>;

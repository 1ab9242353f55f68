/** An admin asks in which state the service is: what runs, on what, and what waits. */
import { totalmem } from 'node:os';
import type { Kysely } from 'kysely';
import type { Ctx } from '../context.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { instant } from '../util.ts';
import type { SystemState } from './schema.ts';
import * as store from './store.ts';

export interface SystemDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly version: string;
  readonly commandLine: string | null;
  readonly roles: readonly string[];
  readonly models: Omit<SystemState['models'], 'degraded'>;
  readonly memory: Pick<SystemState['memory'], 'index_budget_bytes' | 'max_search_threads'>;
  /** Returns what the indexes of new collections are made of. */
  readonly indexForms: () => Promise<Pick<SystemState['index'], 'words' | 'vectors'>>;
  /** Returns what keeps the service from serving now. */
  readonly unready: () => Promise<readonly string[]>;
}

export type System = ReturnType<typeof createSystem>;

export function createSystem(deps: SystemDeps) {
  const { db, kind, models } = deps;
  return {
    async state({ organization: { id } }: Ctx): Promise<SystemState> {
      const uptime = process.uptime();
      return {
        version: deps.version,
        node_version: process.versions.node,
        command_line: deps.commandLine,
        roles: [...deps.roles],
        started_at: instant(Date.now() - Math.round(uptime * 1000)),
        uptime_seconds: Math.floor(uptime),
        not_ready: [...(await deps.unready())],
        database: {
          kind: kind === 'sqlite' ? 'sqlite' : 'postgresql',
          ...(await store.database(db, kind)),
        },
        index: {
          ...(await deps.indexForms()),
          ...(await store.indexed(db, id)),
          without_vectors: await store.withoutVectors(db, id),
          to_extract: await store.toExtract(db, id),
        },
        models: { ...models, degraded: degradedOptions(models) },
        memory: {
          rss_bytes: process.memoryUsage.rss(),
          limit_bytes: memoryLimit(),
          ...deps.memory,
        },
        jobs: { ...(await store.syncs(db, id)), maintenance: await store.maintenance(db, id) },
      };
    },
  };
}

/** Without a language model, only a reranking model serves an option of a search. */
const degradedOptions = ({
  language_models,
  reranker,
}: SystemDeps['models']): SystemState['models']['degraded'] => [
  ...(language_models.length > 0 ? [] : (['expand_query', 'interpret_filters'] as const)),
  ...(reranker.is_built_in ? (['rerank'] as const) : []),
  ...(language_models.length > 0 ? [] : (['generate_answer'] as const)),
];

/** A container may have less memory than its machine. Without a limit, Node reports 0 or a huge number. */
function memoryLimit(): number {
  const own = process.constrainedMemory();
  return own > 0 && own < totalmem() ? own : totalmem();
}

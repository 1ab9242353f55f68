/**
 * Says what keeps the service from doing its whole work although it can serve: a model that does not answer, or work
 * that no worker takes. It names no model and no tenant, because everybody may ask.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import type { ServiceProblem } from '../model/service-problem.ts';
import { sharedFor } from '../util.ts';
import { dueFor } from './facts.ts';
import * as store from './facts-store.ts';
import { type Metrics, type MetricsSnapshot, merged } from './metrics.ts';
import type { ThreadMetrics } from './thread-metrics.ts';

/** The answer is reused for this time, however often somebody asks. */
const FRESH_MS = 5000;
/** A worker looks for jobs several times in a second. */
const LATE_MS = 60_000;

export interface ProblemDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly metrics: Metrics;
  readonly threadMetrics: ThreadMetrics;
  readonly now?: () => number;
}

export type Problems = () => Promise<readonly ServiceProblem[]>;

/** The returned function throws when the database does not answer. */
export const watchProblems = (deps: ProblemDeps): Problems =>
  sharedFor(FRESH_MS, () => find(deps), deps.now);

async function find({ db, kind, metrics, threadMetrics }: ProblemDeps): Promise<ServiceProblem[]> {
  const queue = await store.queue(db, kind);
  const late = queue.filter((fact) => fact.state === 'due' && dueFor(fact) > LATE_MS);
  const own = await metrics.registry.getMetricsAsJSON();
  const roles = downIn(
    await merged([own, ...(await threadMetrics.snapshots())]).getMetricsAsJSON(),
  );
  return [
    ...roles.map((role) => ({ problem: PROBLEMS[role] ?? PROBLEMS.llm, remedy: MODEL_REMEDY })),
    ...(late.length === 0
      ? []
      : [
          {
            problem: `work has waited for ${Math.round(Math.max(...late.map(dueFor)) / 60_000)} minutes, and no worker takes it`,
            remedy:
              'see whether a process with the role worker runs, and start one, or more of them',
          },
        ]),
  ];
}

/** Returns the roles of the models whose last call failed. */
function downIn(snapshot: MetricsSnapshot): string[] {
  const { values = [] } = snapshot.find(({ name }) => name === 'quarry_model_up') ?? {};
  const down = values.flatMap(({ labels, value }) => (value === 0 ? String(labels.role) : []));
  return [...new Set(down)].toSorted();
}

const PROBLEMS: Readonly<Record<string, string>> & { readonly llm: string } = {
  embedder: 'the embedder does not answer: syncs wait for it, and searches compare words only',
  reranker: 'the reranker does not answer: searches are ranked by the built-in one',
  llm: 'a language model does not answer: built-in methods take its place',
  transcriber: 'the transcriber does not answer: syncs wait for it',
};

const MODEL_REMEDY =
  'see whether its server runs and its key is valid; the log has the error, and GET /v1/system names the models';

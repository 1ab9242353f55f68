/** Asks the service, and returns its answers in the form that the ledgers compare. */
import type { CountedJob } from '../../random/counters.ts';
import { hold } from '../../random/violation.ts';
import { PLAIN } from '../../search/plain.ts';
import type { Answering } from './cluster.ts';
import type { Shown } from './ledger.ts';
import { COMMON, wordIn } from './places.ts';

export const COLLECTION = 'rounds';
export const STRATEGIES = ['hybrid', 'neural', 'keyword'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The world never has as many documents as one page shows. */
const { limit: LIMIT } = PLAIN;
const JOBS_A_PAGE = 100;

export interface Job extends CountedJob {
  readonly id: string;
  readonly sync_id: string;
  readonly status: string;
  readonly completed_at: string | null;
  readonly error: string | null;
}

/** Asks, and returns undefined when the process died meanwhile. A status other than 200 is a fault. */
async function ask(cluster: Answering, method: string, path: string, body?: unknown) {
  const answer = await cluster.call(method, path, body);
  hold(
    !answer || answer.status === 200,
    'a question is answered',
    () => `${method} ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`,
  );
  return answer?.body;
}

/** Asks a process that must be alive. */
export async function mustAsk(cluster: Answering, method: string, path: string, body?: unknown) {
  const answer = await ask(cluster, method, path, body);
  hold(answer !== undefined, 'a living process answers', () => `${method} ${path}`);
  return answer;
}

/** Returns all that a search for the common word of all documents shows, by connection. */
export async function searchAll(
  cluster: Answering,
  strategy: Strategy,
): Promise<ReadonlyMap<string, Shown> | undefined> {
  const results = await search(cluster, COMMON, strategy);
  if (!results) return undefined;
  hold(results.length < LIMIT, 'the world stays below one page', () => `${results.length}`);
  const all = new Map<string, Map<string, string[]>>();
  for (const { entity_id, md_content, metadata } of results) {
    const connection = all.get(metadata.source_connection_id) ?? new Map<string, string[]>();
    all.set(metadata.source_connection_id, connection);
    const [, id = '', chunk = ''] = /^(.*)__chunk_(\d+)$/.exec(entity_id) ?? [];
    const words = connection.get(id) ?? [];
    connection.set(id, words);
    words[Number(chunk)] = wordIn(md_content) ?? 'no word';
  }
  for (const [connection, shown] of all)
    for (const [id, words] of shown) all.get(connection)?.set(id, Object.values(words));
  return all;
}

/** Returns the ids of the documents that have the word. */
export async function find(cluster: Answering, word: string): Promise<string[]> {
  const results = (await search(cluster, word, 'keyword')) ?? [];
  const ids = results.map(({ entity_id }) => entity_id.replace(/__chunk_\d+$/, ''));
  return [...new Set(ids)];
}

async function search(
  cluster: Answering,
  query: string,
  strategy: Strategy,
): Promise<
  | { entity_id: string; md_content: string; metadata: { source_connection_id: string } }[]
  | undefined
> {
  const body = await ask(cluster, 'POST', `/v1/collections/${COLLECTION}/search`, {
    ...PLAIN,
    query,
    retrieval_strategy: strategy,
  });
  return body?.results;
}

/** Returns the ids of the records of a connection, which the service reads with one statement. */
export async function listIds(
  cluster: Answering,
  connection: string,
): Promise<ReadonlySet<string> | undefined> {
  const records = await ask(
    cluster,
    'GET',
    `/v1/entities?source_connection_id=${connection}&limit=${LIMIT}`,
  );
  return records && new Set(records.map((record: { entity_id: string }) => record.entity_id));
}

/** Returns all jobs, the newest first. Jobs that are created meanwhile may be missing. */
export async function allJobs(cluster: Answering): Promise<Job[]> {
  const jobs = new Map<string, Job>();
  for (let skip = 0; ; skip += JOBS_A_PAGE) {
    const path = `/v1/sync/jobs?skip=${skip}&limit=${JOBS_A_PAGE}`;
    const page: Job[] = await mustAsk(cluster, 'GET', path);
    for (const job of page) jobs.set(job.id, job);
    if (page.length < JOBS_A_PAGE) return [...jobs.values()];
  }
}

/** Returns the jobs that have not ended. */
export const openJobs = (cluster: Answering): Promise<Job[]> =>
  mustAsk(cluster, 'GET', `/v1/sync/jobs?${UNDER_WAY.map((name) => `status=${name}`).join('&')}`);

const UNDER_WAY = ['created', 'pending', 'in_progress'];

/** Maps the ids of the running jobs to their attempts. */
export async function runningJobs(cluster: Answering): Promise<ReadonlyMap<string, number>> {
  const jobs: Job[] = await mustAsk(cluster, 'GET', '/v1/sync/jobs?status=in_progress');
  const details = await Promise.all(
    jobs.map(({ id }) => mustAsk(cluster, 'GET', `/v1/sync/jobs/${id}`)),
  );
  return new Map(details.map(({ id, sync_metadata }) => [id, sync_metadata.attempt]));
}

/**
 * These settings say how many threads a process has, how much memory each of them may take, and how many connections to
 * the database.
 */
import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** The worker thread cannot write what more than four threads prepare. */
const furtherThreads = (processors: number): number =>
  processors === 1 ? 0 : Math.min(4, Math.max(1, processors - 2));

export const THREAD_SETTINGS = {
  QUARRY_DATABASE_CONNECTIONS: z
    .string()
    .regex(/^\d{1,4}$/, 'give a number of connections')
    .default('30')
    .transform(Number)
    .pipe(z.number().min(15, 'give at least 15 connections'))
    .describe(
      'Maximum number of connections of this process to PostgreSQL. Requests, the worker and searches get a third each, pushes half of that of requests, and each thread for searches at least 2. One more connection of a worker listens for new work.',
    ),
  QUARRY_INDEX_MEMORY_MB: z
    .string()
    .regex(/^\d{1,7}$/, 'give a number of megabytes')
    .default('512')
    .transform(Number)
    .pipe(z.number().min(16, 'give at least 16 megabytes'))
    .describe(
      'Memory that the vectors and words of collections may take together in each search thread. The collections searched last stay in it. 100,000 chunks of 150 words take about 90 MB.',
    ),
  QUARRY_SEARCH_THREADS: z
    .string()
    .regex(/^\d{1,2}$/, 'give a number of threads')
    .default(String(Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)))))
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 thread'))
    .describe(
      'Maximum number of threads for searches. The second and further ones start while searches wait for each other, and end when they have had nothing to do for a minute.',
    ),
  QUARRY_KEY_SEARCHES: z
    .string()
    .regex(/^\d{1,4}$/, 'give a number of searches')
    .default('8')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 search'))
    .describe(
      'Maximum number of searches, agentic ones among them, that one key, or person who has signed in, has running at once. Further ones wait.',
    ),
  QUARRY_KEY_PUSHES: z
    .string()
    .regex(/^\d{1,4}$/, 'give a number of pushes')
    .default('32')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 push'))
    .describe(
      'Maximum number of pushes that one key, or person who has signed in, has being stored at once, of 64 of all callers. Further ones wait.',
    ),
  QUARRY_SYNC_THREADS: z
    .string()
    .regex(/^\d{1,2}$/, 'give a number of threads')
    .default(String(furtherThreads(availableParallelism())))
    .transform(Number)
    .describe(
      'Maximum number of further threads that split and embed the texts of syncs with the built-in embedder, beside the thread of the worker. They run only while there is work for them.',
    ),
};

/**
 * Threads cannot share a connection, so each has a pool of its own. Returns how many connections a thread may open. Beside
 * the threads for searches, there may be one for greps.
 */
export function poolSizes(settings: {
  readonly QUARRY_DATABASE_CONNECTIONS: number;
  readonly QUARRY_SEARCH_THREADS: number;
}) {
  const third = Math.floor(settings.QUARRY_DATABASE_CONNECTIONS / 3);
  const search = Math.floor(third / (settings.QUARRY_SEARCH_THREADS + 1));
  const pushes = Math.floor(third / 2);
  return { requests: third - pushes, pushes, worker: third, search: Math.max(2, search) };
}

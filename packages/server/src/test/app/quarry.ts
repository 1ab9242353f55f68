/** Runs the whole service in this process, without threads and without a port, on a test database. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import pino, { type Logger } from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import type { Schema } from '../../db/schema.ts';
import { UNFINISHED } from '../../model/sync-status.ts';
import type { Source } from '../../sources/define.ts';
import { must } from '../../util.ts';
import type { TestDatabase } from '../databases.ts';
import { type Answer, caller, type Method } from '../inject.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';

export type TestQuarry = Awaited<ReturnType<typeof openTestQuarry>>;

export async function openTestQuarry(
  database: TestDatabase,
  options: {
    sources?: ReadonlyMap<string, Source>;
    env?: Record<string, string>;
    log?: Logger;
  } = {},
) {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-app-'));
  // A watched folder would start syncs between those of a test.
  const config = readConfig({ QUARRY_DATA_DIR: dir, QUARRY_WATCH: 'false', ...options.env });
  const fatal: Error[] = [];
  const quarry: QuarryProcess = await openProcess(config, {
    log: options.log ?? pino({ level: process.env.TEST_LOG ?? 'silent' }),
    threads: false,
    database,
    ...(options.sources && { sources: options.sources }),
    onFatal: (error) => fatal.push(error),
  });
  const key = must(quarry.key, 'the database already had an organization');

  const request = caller(quarry.api, key);
  const call = (
    method: Method,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => request(method, url, { body, headers });

  /** Makes a call that must succeed, and returns the body of its answer. */
  async function ok(method: Method, url: string, body?: unknown, headers?: Record<string, string>) {
    const answer = await call(method, url, body, headers);
    assert.ok(answer.status < 300, `${method} ${url}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /**
   * Waits until the connection's jobs have ended, and returns the newest as the organization shows it. With `hurry`,
   * a job that would be tried again later is tried again at once, or as soon as the function says so.
   */
  async function settled(
    connectionId: string,
    { hurry = false }: { hurry?: boolean | (() => Promise<boolean>) } = {},
  ) {
    const mayHurry = typeof hurry === 'function' ? hurry : async () => hurry;
    // The database is asked directly, because a request for the jobs costs more than many a sync.
    await until(async () => {
      if (!(await hasLiveJob(database.db, connectionId))) return true;
      if ((await mayHurry()) && (await endWaits(database.db, connectionId))) quarry.wake();
      return false;
    });
    const [job] = await ok('GET', `/v1/source-connections/${connectionId}/jobs`);
    return ok('GET', `/v1/sync/jobs/${job.id}`);
  }

  async function sync(connectionId: string, query = '') {
    await ok('POST', `/v1/source-connections/${connectionId}/run${query}`);
    return settled(connectionId, { hurry: true });
  }

  /** Returns the ids of the chunks that a search finds, best first. */
  async function find(
    collection: string,
    query: string,
    body: Record<string, unknown> = {},
    headers?: Record<string, string>,
  ): Promise<string[]> {
    const answer = await ok(
      'POST',
      `/v1/collections/${collection}/search`,
      {
        ...PLAIN,
        query,
        ...body,
      },
      headers,
    );
    return answer.results.map((result: { entity_id: string }) => result.entity_id);
  }

  return {
    key,
    dir,
    db: database.db,
    kind: database.kind,
    api: quarry.api,
    operations: quarry.operations,
    startLink: quarry.startLink,
    call,
    ok,
    settled,
    sync,
    find,
    async close() {
      await quarry.close();
      await database.close();
      rmSync(dir, { recursive: true, force: true });
      assert.deepEqual(fatal, []);
    },
  };
}

async function hasLiveJob(db: Kysely<Schema>, connectionId: string): Promise<boolean> {
  const job = await db
    .selectFrom('sync_jobs')
    .select('id')
    .where('connection_id', '=', connectionId)
    .where('status', 'in', UNFINISHED)
    .limit(1)
    .executeTakeFirst();
  return job !== undefined;
}

/** Ends the waits of a connection's jobs, so that they may begin now. Returns true if one had to wait. */
async function endWaits(db: Kysely<Schema>, connectionId: string): Promise<boolean> {
  // Most looks find that nothing waits, and a read takes no lock.
  const waiting = await db
    .selectFrom('jobs')
    .select('id')
    .where('lane', '=', connectionId)
    .where('run_at', '>', 0)
    .where('lease_token', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (!waiting) return false;
  await db
    .updateTable('sync_jobs')
    .set({ waits_until: 0 })
    .where('connection_id', '=', connectionId)
    .where('waits_until', 'is not', null)
    .execute();
  return hurryJobs(db, connectionId);
}

/** Makes the entries of a lane due now, apart from those that a worker holds. Returns true if one was not due. */
export async function hurryJobs(db: Kysely<Schema>, lane: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ run_at: 0 })
    .where('lane', '=', lane)
    .where('run_at', '>', 0)
    .where('lease_token', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

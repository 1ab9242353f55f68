/**
 * `npm run bench:history [-- --jobs 1000000] [-- postgres://…/an_empty_database]` measures how long lists and states
 * take with that many jobs in the history, 1,000 for each connection, and 200,000 failures.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { connect } from '../packages/server/src/db/connect.ts';
import type { Schema } from '../packages/server/src/db/schema.ts';
import { newId } from '../packages/server/src/util.ts';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { percentile, startService } from './service.ts';

const JOBS_PER_CONNECTION = 1000;
const FAILURES_PER_JOB = 1000;
const FAILURES = 200_000;
const ROUNDS = 40;

answerHelp(import.meta.filename);
const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string', default: '1000000' } },
  allowPositionals: true,
});
const [postgres] = positionals;
const connections = Math.ceil(Number(values.jobs) / JOBS_PER_CONNECTION);

const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const start = () => startService(dir, undefined, postgres ? { DATABASE_URL: postgres } : {});
const empty = await start();
await empty.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
const first = await empty.call('POST', '/v1/source-connections', {
  name: 'Pushed',
  short_name: 'push',
  readable_collection_id: 'bench',
});
await empty.stop();
const db = connect(postgres ?? join(dir, 'quarry.db'));
const failing = await db.connection().execute((one) => fill(one, first));
// In a real service, autovacuum does this after a while. SQLite does not need it.
if (postgres) await sql`vacuum analyze`.execute(db);
await db.destroy();
const service = await start();

const connection = `/v1/source-connections/${first.id}`;
const push = { entities: [{ entity_id: 'one', name: 'One', text: 'The text of one.' }] };
const requests: Record<string, () => Promise<unknown>> = {
  'jobs of the organization, first 100': get('/v1/sync/jobs'),
  '… skip 500,000': get('/v1/sync/jobs?skip=500000'),
  '… failed': get('/v1/sync/jobs?status=failed'),
  '… in progress or pending': get('/v1/sync/jobs?status=in_progress&status=pending'),
  'one job': get(`/v1/sync/jobs/${failing}`),
  'connections, 100': get('/v1/source-connections?limit=100'),
  'one connection': get(connection),
  'jobs of a connection': get(`${connection}/jobs?limit=100`),
  'failures of a job': get(`${connection}/jobs/${failing}/failures?limit=100`),
  'collections, 100': get('/v1/collections?limit=100'),
  'one collection': get('/v1/collections/bench'),
  'push accepted': () => service.call('POST', `${connection}/entities`, push),
};
console.log(`${connections * JOBS_PER_CONNECTION} jobs, ${FAILURES} failures, milliseconds`);
for (const [name, once] of Object.entries(requests)) {
  await once();
  const took: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const before = performance.now();
    await once();
    took.push(performance.now() - before);
  }
  const [p50, p95] = [0.5, 0.95].map((share) => percentile(took, share).toFixed(1));
  console.log(`| ${name} | ${p50} / ${p95} |`);
}
await service.stop();
rmSync(dir, { recursive: true, force: true });

function get(path: string) {
  return () => service.call('GET', path);
}

/** Writes the jobs. Returns the id of a job of the first connection that has failures. */
async function fill(
  db: Kysely<Schema>,
  { id, organization_id }: { id: string; organization_id: string },
): Promise<string> {
  if (!postgres) await sql`pragma synchronous = off`.execute(db);
  if (!postgres) await sql`pragma cache_size = -1000000`.execute(db);
  const model = await db
    .selectFrom('connections')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const ids = Array.from({ length: connections }, (_, i) => (i === 0 ? id : newId()));
  const copies = ids.slice(1).map((id) => ({
    ...model,
    id,
    sync_id: newId(),
    config: JSON.stringify(model.config),
    transformers: JSON.stringify(model.transformers),
    cursor: null,
  }));
  const now = Date.now();
  const jobs = Array.from({ length: JOBS_PER_CONNECTION }, (_, i) => {
    const status = i % 50 === 0 ? 'FAILED' : i % 97 === 0 ? 'CANCELLED' : 'COMPLETED';
    const at = now - (JOBS_PER_CONNECTION - i) * 3_600_000;
    return {
      id: `${at.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-000000000000`,
      organization_id,
      connection_id: id,
      sync_id: model.sync_id,
      status: status as 'FAILED',
      trigger: 'schedule' as const,
      full: i % 2 === 0,
      accept_deletions: false,
      attempt: 1,
      generation: i,
      entities_inserted: 0,
      entities_updated: 1,
      entities_deleted: 0,
      entities_kept: 100,
      entities_skipped: 0,
      entities_failed: 0,
      encountered: '{"Page":101}',
      left_out: '{}',
      chunks_written: 1,
      bytes_fetched: 1000,
      requests: 3,
      error: status === 'FAILED' ? 'the source went away' : null,
      started_at: at,
      completed_at: at + 1000,
      created_at: at,
      modified_at: at + 1000,
    };
  });
  const failing = jobs[JOBS_PER_CONNECTION - 1]?.id ?? '';
  const failures = Array.from({ length: FAILURES_PER_JOB }, (_, i) => ({
    id: newId(),
    kind: 'fail' as const,
    job_id: failing,
    entity_id: `e${i}`,
    entity_type: 'Page',
    stage: 'pull',
    message: 'the page is broken',
    hint: null,
    created_at: now,
  }));
  for (let at = 0; at < copies.length; at += 200)
    await db
      .insertInto('connections')
      .values(copies.slice(at, at + 200))
      .execute();
  for (let at = 0; at < jobs.length; at += 200)
    await db
      .insertInto('sync_jobs')
      .values(jobs.slice(at, at + 200))
      .execute();
  for (let at = 0; at < failures.length; at += 200)
    await db
      .insertInto('left_out_records')
      .values(failures.slice(at, at + 200))
      .execute();
  const columns = sql.join(
    Object.keys(jobs[0] ?? {})
      .slice(3)
      .map((name) => sql.ref(name)),
  );
  for (const [i, copy] of ids.entries()) {
    if (i % 100 === 0)
      tellProgress(
        `${i * JOBS_PER_CONNECTION} of ${connections * JOBS_PER_CONNECTION} jobs written`,
      );
    if (i === 0) continue;
    const suffix = i.toString(16).padStart(12, '0');
    await sql`insert into sync_jobs (id, organization_id, connection_id, ${columns})
      select substr(id, 1, 24) || ${suffix}, organization_id, ${copy}, ${columns}
      from sync_jobs where connection_id = ${id}`.execute(db);
    if (i < FAILURES / FAILURES_PER_JOB)
      await sql`insert into left_out_records (id, job_id, entity_id, entity_type, stage, message, created_at)
        select substr(id, 1, 24) || ${suffix}, substr(job_id, 1, 24) || ${suffix}, entity_id, entity_type,
          stage, message, created_at
        from left_out_records where job_id = ${failing}`.execute(db);
  }
  return failing;
}

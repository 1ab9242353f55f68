/**
 * Checks the end of a simulation: when all trouble is over, the index agrees with the source, and another sync
 * changes nothing.
 */

import { hold, same } from '../random/violation.ts';
import { COMMON, docsBelow, toEntity } from './company.ts';
import { wrongColumns } from './oracle/content.ts';
import { jobsOf, renew } from './play.ts';
import type { Connected, Simulation } from './simulation.ts';
import { partsOf } from './source.ts';

export async function finish(sim: Simulation): Promise<void> {
  await sim.settle();
  if (sim.late) await sim.late.kill();
  sim.mayLog = false;
  const pulled = sim.connected.filter(
    (connected) => connected.source !== 'push' && isAlive(sim, connected),
  );
  for (const connected of pulled) {
    connected.trouble = undefined;
    await unschedule(sim, connected);
  }
  for (const connected of pulled) {
    await renew(sim, connected);
    await fullSync(sim, connected);
    checkWorld(sim, connected);
    await checkIdle(sim, connected);
  }
  await sim.checkSearches();
  checkRemains(sim);
  sim.oracle.outbox.checkKept(sim.now);
}

const isAlive = (sim: Simulation, { id }: Connected) =>
  sim.oracle.connection(id)?.row.deleted_at === null;

/**
 * Waits until due runs were started or skipped and removes the schedule, so that all later syncs are those of
 * the finale.
 */
async function unschedule(sim: Simulation, { id }: Connected): Promise<void> {
  const next = () => sim.oracle.connection(id)?.row.next_run_at;
  await sim.stage.until(() => (next() ?? Number.POSITIVE_INFINITY) > sim.now);
  if (next() == null) return;
  await sim.call(({ connections }) =>
    connections.update(sim.ctx, id, { schedule: { cron: null } }),
  );
  await sim.settle();
}

async function fullSync(sim: Simulation, { id }: Connected): Promise<void> {
  const { ctx } = sim;
  await sim.call(({ connections }) => connections.run(ctx, id, true));
  await sim.settle();
  const [job] = jobsOf(sim, id);
  same(job?.row.status, 'COMPLETED', 'a healthy sync is completed', job?.row.error_details ?? '');
  if (!job?.row.error_details) return;
  await sim.call(({ connections }) => connections.confirmDeletions(ctx, id, job.row.id));
  await sim.settle();
}

function checkWorld(sim: Simulation, { id, company }: Connected): void {
  const { part = 'all' } = JSON.parse(sim.oracle.connection(id)!.row.config);
  const parts = partsOf(part);
  const rows = sim.oracle.rows.get(id);
  const docs = [...company.docs.values()]
    .filter((doc) => parts.includes(doc.partition))
    .flatMap((doc) => [doc, ...docsBelow(company, doc)]);
  same(rows?.size ?? 0, docs.length, 'the final index is the world', `the size of ${COMMON} ${id}`);
  for (const doc of docs) {
    const row = rows?.get(doc.id);
    hold(row, 'the final index is the world', () => `${doc.id} of ${id} is missing`);
    const wrong = wrongColumns(row, toEntity(company, doc));
    same(wrong.join(), '', 'the final index is the world', `columns of ${doc.id}`);
    same(row.partition, doc.partition, 'the final index is the world', doc.id);
  }
}

/** A second identical run must write nothing but its own job. */
async function checkIdle(sim: Simulation, { id }: Connected): Promise<void> {
  const stored = () =>
    JSON.stringify([
      [...(sim.oracle.rows.get(id) ?? [])].map(([, { generation: _, ...row }]) => row),
      sim.observer.chunks().map(({ n }) => n),
      sim.observer.all('select collection_id, version from indexes'),
      sim.observer.counts(),
      sim.observer.fields(),
    ]);
  const before = stored();
  sim.askedBelow = 0;
  await sim.call(({ connections }) => connections.run(sim.ctx, id, true));
  await sim.settle();
  const [job] = jobsOf(sim, id);
  same(job?.row.status, 'COMPLETED', 'a healthy sync is completed', job?.row.error_details ?? '');
  hold(stored() === before, 'a second identical run writes nothing', () => id);
  same(sim.askedBelow, 0, 'nobody asks what is below unchanged records', id);
  same(job?.row.entities_kept, sim.oracle.rows.get(id)?.size ?? 0, 'counters are true', 'kept');
}

const OF_CONNECTIONS = [
  'connections',
  'entities',
  'chunks',
  'entity_counts',
  'entity_fields',
  'sync_jobs',
  'group_members',
  'refused_records',
];

/** Nothing may be left of what was deleted, or of lists of members that are no longer read. */
function checkRemains(sim: Simulation): void {
  const { observer } = sim;
  const alive = new Set(
    observer.connections().flatMap((row) => (row.deleted_at === null ? [row.id] : [])),
  );
  for (const table of OF_CONNECTIONS)
    for (const row of observer.all<{ connection_id?: string; id: string }>(
      `select * from ${table}`,
    ))
      hold(alive.has(row.connection_id ?? row.id), 'what was deleted leaves nothing', () => table);
  for (const table of ['pushes', 'jobs', 'job_partitions'])
    same(observer.count(table), 0, 'what was deleted leaves nothing', table);
  const [outdated] = observer.all<{ count: number }>(OUTDATED_MEMBERS);
  same(outdated?.count, 0, 'lists that are no longer read are deleted', 'group_members');
}

const OUTDATED_MEMBERS = `select count(*) as count from group_members m
  join connections c on c.id = m.connection_id where m.list <> c.members_list`;

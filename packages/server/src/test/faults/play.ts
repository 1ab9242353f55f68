/** Performs the actions of a seed, one after the other. */

import { LEASE_MS } from '../../jobs/queue.ts';
import { random } from '../random/random.ts';
import { hold, same } from '../random/violation.ts';
import type { Action } from './actions.ts';
import { happen, shrink, someDoc, toEntity } from './company.ts';
import { isLive, type JobView } from './oracle/job-view.ts';
import type { Connected, Simulation } from './simulation.ts';
import { COLLECTION } from './template.ts';
import { noTrouble, someTrouble } from './trouble.ts';

/** A job must stop within this time after a cancel. A source may be silent for longer. */
const SOON_MS = 3000;

export async function play(sim: Simulation, actions: readonly Action[]): Promise<void> {
  await sim.settled(sim.process.start(undefined));
  for (const action of actions) {
    sim.stage.random = random(action.seed);
    await perform(sim, action);
    if (action.do === 'search' || sim.stage.random.next() < 0.25) await sim.checkSearches();
  }
}

const makeCollection = (sim: Simulation) =>
  sim.call(({ collections }) =>
    collections.create(sim.ctx, { name: 'Company', readable_id: COLLECTION }),
  );

async function perform(sim: Simulation, action: Action): Promise<void> {
  if (action.do === 'connect') return connect(sim, action);
  const about = sim.circumstances(action.seed);
  switch (action.do) {
    case 'handlers': {
      const { vectors, metadata } = action;
      const handlers = { enable_vector_handlers: vectors, enable_metadata_handlers: metadata };
      await sim.call(({ collections }) =>
        collections.update(sim.ctx, COLLECTION, {
          name: `Company ${action.seed % 2}`,
          sync_config: { handlers },
        }),
      );
      return;
    }
    case 'delete collection':
      await sim.call(({ collections }) => collections.remove(sim.ctx, COLLECTION));
      await makeCollection(sim);
      return;
    case 'reindex':
      await sim.call(({ maintenance }) => maintenance.reindex(sim.ctx, COLLECTION));
      return;
    case 'steps':
      return steps(sim, action.steps);
    case 'settle':
      return sim.settle();
    case 'search':
      return action.seed % 2 === 0 ? sim.checkSearches(() => sim.settle()) : undefined;
    case 'kill':
      return kill(sim, action);
    case 'drain':
      await steps(sim, action.steps);
      await sim.settled(sim.process.stop());
      await sim.process.kill();
      return sim.boot('start');
    case 'late':
      return late(sim, action);
    case 'full disk':
      await steps(sim, action.steps);
      sim.mayLog = true;
      sim.process.fullDisk = action.statements;
      await sim.settle();
      sim.process.fullDisk = 0;
      return;
    case 'clock':
      sim.oracle.clockIsSet();
      sim.stage.clock.now += action.ms;
      sim.isClockSet = true;
      return;
  }
  const connected = sim.connected[action.connection % Math.max(1, sim.connected.length)];
  if (!connected) return;
  const { company, id } = connected;
  const { ctx } = sim;
  switch (action.do) {
    case 'happen':
      for (let i = 0; i < action.times; i++) happen(company, about);
      return;
    case 'shrink':
      shrink(company, action.share, about.random);
      return;
    case 'trouble':
      connected.trouble = {
        left: action.pulls,
        of: () => someTrouble(about.random, () => happen(company, sim.circumstances(action.seed))),
      };
      return;
    case 'run':
    case 'push':
      if (connected.source === 'push') return push(sim, connected, about);
      return run(sim, id, 'force' in action && action.force);
    case 'cancel':
      return cancel(sim, id);
    case 'confirm': {
      const [job] = jobsOf(sim, id);
      if (job)
        await sim.call(({ connections }) => connections.confirmDeletions(ctx, id, job.row.id));
      return;
    }
    case 'configure':
      await sim.call(({ connections }) =>
        connections.update(ctx, id, { config: { key: company.key, part: action.part } }),
      );
      return;
    case 'expire':
      company.password = `right ${action.seed}`;
      return;
    case 'forget':
      company.oldest = company.seq;
      return;
    case 'renew':
      return renew(sim, connected);
    case 'delete connection': {
      if (action.seed % 2 === 0) await sim.checkSearches(() => remove(sim, connected));
      return remove(sim, connected);
    }
  }
}

/** Deletes the connection, which may already have been deleted. */
async function remove(sim: Simulation, { id }: Connected): Promise<void> {
  const answer = await sim.call(({ connections }) => connections.remove(sim.ctx, id));
  if (!answer) return;
  const isGone = (sim.oracle.connection(id)?.row.deleted_at ?? 0) !== null;
  hold(isGone, 'what was deleted is gone', () => id);
}

async function connect(sim: Simulation, action: Extract<Action, { do: 'connect' }>): Promise<void> {
  const company = sim.newCompany(action);
  const { source } = action;
  const connected: Connected = {
    id: '',
    source,
    company,
    trouble: undefined,
    current: noTrouble(),
  };
  sim.companies.set(company.key, connected);
  const made = await sim.call(({ connections }) =>
    connections.create(sim.ctx, {
      name: 'A company',
      short_name: source,
      readable_collection_id: COLLECTION,
      ...(source !== 'push' && {
        config: { key: company.key },
        authentication: { credentials: { password: company.password } },
        schedule: { cron: someCron(action), ...(source === 'feed' && { continuous: true }) },
      }),
    }),
  );
  if (made) sim.connected.push(Object.assign(connected, { id: made.id }));
}

/** Only a source with a cursor may be scheduled more often than hourly. */
function someCron({ seed, source }: Extract<Action, { do: 'connect' }>): string | null {
  if (seed % 2 === 0) return null;
  return source === 'feed' ? '* * * * *' : '0 * * * *';
}

export async function renew(sim: Simulation, { id, company, source }: Connected): Promise<void> {
  if (source === 'push') return;
  const credentials = { password: company.password };
  await sim.call(({ connections }) =>
    connections.update(sim.ctx, id, { authentication: { credentials } }),
  );
}

async function push(
  sim: Simulation,
  { id, company }: Connected,
  about: ReturnType<Simulation['circumstances']>,
): Promise<void> {
  const { random } = about;
  const entities = Array.from({ length: random.below(6) }, () => {
    const entity = toEntity(company, someDoc(`d${random.below(8)}`, about));
    const { breadcrumbs, url, ...rest } = entity;
    sim.oracle.pushed.set(Number(entity.fields.rev), rest);
    return rest;
  });
  const gone = ['d1', 'd2', 'd3'].filter(
    (one) => random.next() < 0.3 && entities.every((entity) => entity.id !== one),
  );
  const body = {
    entities: entities.map((entity) => ({
      entity_id: entity.id,
      entity_type: entity.type,
      name: entity.name,
      text: entity.text,
      created_at: entity.createdAt!.toISOString(),
      updated_at: entity.updatedAt!.toISOString(),
      metadata: { ...entity.fields },
      ...(entity.access && {
        access: {
          viewers: entity.access.viewers && [...entity.access.viewers],
          is_public: entity.access.isPublic,
        },
      }),
    })),
    delete: gone,
  };
  const sent = { json: Buffer.from(JSON.stringify(body)), file: null };
  const job = await sim.call(async ({ connections }) =>
    connections.push(sim.ctx, await connections.pushedConnection(sim.ctx, id), { sent, key: null }),
  );
  if (job) accepted(sim, job.id);
}

async function run(sim: Simulation, id: string, force: boolean): Promise<void> {
  const job = await sim.call(({ connections }) => connections.run(sim.ctx, id, force));
  if (job) accepted(sim, job.id);
}

const accepted = (sim: Simulation, jobId: string) =>
  hold(sim.oracle.jobs.has(jobId), 'what was accepted is not lost', () => jobId);

/** Returns the jobs of the connection, the newest first. */
export const jobsOf = (sim: Simulation, connectionId: string) =>
  [...sim.oracle.jobs.values()]
    .filter(({ row }) => row.connection_id === connectionId)
    .toSorted((a, b) => (a.row.id < b.row.id ? 1 : -1));

async function cancel(sim: Simulation, id: string): Promise<void> {
  const [job] = jobsOf(sim, id);
  if (!job) return;
  const answer = await sim.call(({ connections }) =>
    connections.cancelJob(sim.ctx, id, job.row.id),
  );
  const { status } = job.row;
  if (answer)
    hold(status === 'CANCELLING' || status === 'CANCELLED', 'a cancel holds', () => status);
  const isAtWork = job.owner === sim.process && job.row.waits_until === null && !sim.mayLog;
  if (answer && isAtWork && sim.stage.random.next() < 0.5) await stopped(sim, job);
}

/** The worker of a cancelled job must stop soon, even while its source does not answer. */
async function stopped(sim: Simulation, job: JobView): Promise<void> {
  const end = performance.now() + SOON_MS;
  await sim.stage.until(() => !isLive(job) || performance.now() > end);
  hold(!isLive(job), 'a cancelled job stops soon', () => job.row.id);
}

async function steps(sim: Simulation, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await sim.stage.step();
}

/** Kills the process in the middle of its work. */
async function kill(sim: Simulation, { steps: after, takeover }: Extract<Action, { do: 'kill' }>) {
  await steps(sim, after);
  await sim.process.kill();
  if (takeover === 'expiry') leasesRunOut(sim);
  const leases = leasesOf(sim);
  await sim.boot(takeover);
  if (takeover === 'expiry') return;
  const left = leasesOf(sim).filter((lease) => leases.includes(lease));
  same(left.length, 0, 'the leases of a dead process are given back', takeover);
}

const leasesOf = ({ observer }: Simulation) =>
  observer.firstInLine().flatMap(({ lease_token }) => lease_token ?? []);

/** Sets the clock to a time after the end of every lease, which may be far away when the clock was set back before. */
function leasesRunOut({ stage, observer }: Simulation): void {
  const ends = observer.firstInLine().flatMap(({ lease_until }) => lease_until ?? []);
  stage.clock.now = 1 + Math.max(stage.clock.now + LEASE_MS, ...ends);
}

/** The process sleeps until another has taken over its work, and wakes up while that one works. */
async function late(sim: Simulation, action: Extract<Action, { do: 'late' }>): Promise<void> {
  if (sim.late) {
    sim.late.thaw();
    await sim.settle();
    await sim.late.kill();
  }
  await steps(sim, action.steps);
  const { process } = sim;
  process.freeze();
  await sim.stage.until(() => process.state === 'frozen');
  sim.late = process;
  leasesRunOut(sim);
  await sim.boot(undefined);
  await steps(sim, action.sleeps);
  process.thaw();
}

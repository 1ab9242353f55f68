/**
 * Plays the history of one seed: a company in the fake of a service changes, and its connection is synced while
 * requests fail and workers die. Then nothing fails any more, and a search must find exactly what the company has.
 */
import assert from 'node:assert/strict';
import { hold, Violation } from '../../random/violation.ts';
import type { CloudCompany } from '../../sources/cloud-company.ts';
import { type CloudQuarry, type CloudStage, openCloudStage } from '../../sources/cloud-stage.ts';
import type { Cloud } from '../../sources/clouds.ts';
import { contentsOf } from './contents.ts';
import type { RowLog } from './row-log.ts';
import type { Blow, Change, Step, Trouble } from './steps.ts';
import { faultsOf } from './trouble.ts';

/** A history may change the company so often: its records must not run out. */
const MOST: Partial<Record<Change, number>> = {
  remove: 3,
  removeMany: 1,
  removePart: 1,
};
/** A slow answer takes this long by the clock of the simulation. */
const SLOW_MS = 20 * 60_000;
const CLOSING_SYNCS = 3;

export interface Ground extends CloudQuarry {
  readonly rows: RowLog;
  /** Moves the clock. */
  pass(ms: number): void;
}

/** Counts what has happened, by its name. */
export type Figures = Map<string, number>;

export async function play(
  { source, open }: Cloud,
  ground: Ground,
  { steps, figures }: { readonly steps: readonly Step[]; readonly figures: Figures },
): Promise<void> {
  const company = await open();
  try {
    const stage = await openCloudStage(ground, source, company);
    const history = createHistory(company, figures);
    const scene = { company, stage, ground, history, figures };
    for (const step of steps) {
      if (step.do === 'change') history.change(step.change);
      else if (step.do === 'wait') ground.pass(step.ms);
      else if (step.do === 'sync') await troubledSync(step, scene);
    }
    await close(scene);
    if (steps.some((step) => step.do === 'forbid')) await forbid(scene);
    figures.set('requests', (figures.get('requests') ?? 0) + company.peer.requests.length);
    await stage.end();
  } finally {
    await company.peer.close();
  }
}

interface Scene {
  readonly company: CloudCompany;
  readonly stage: CloudStage;
  readonly ground: Ground;
  readonly history: History;
  readonly figures: Figures;
}

const count = (figures: Figures, name: string) => figures.set(name, (figures.get(name) ?? 0) + 1);

interface History {
  change(what: Change): void;
  /** From now on, `always` and `ever` say which records the company had at each moment and at any moment. */
  watch(): void;
  readonly always: ReadonlySet<string>;
  readonly ever: ReadonlySet<string>;
  readonly hasChanged: boolean;
}

function createHistory(company: CloudCompany, figures: Figures): History {
  const times = new Map<Change, number>();
  let always = new Set<string>();
  let ever = new Set<string>();
  let hasChanged = false;
  return {
    change(what) {
      const done = times.get(what) ?? 0;
      if (!company[what] || done >= (MOST[what] ?? Number.POSITIVE_INFINITY)) return;
      times.set(what, done + 1);
      count(figures, what);
      hasChanged = true;
      company[what]();
      const now = new Set(company.expected().keys());
      always = new Set([...always].filter((id) => now.has(id)));
      ever = new Set([...ever, ...now]);
    },
    watch() {
      always = new Set(company.expected().keys());
      ever = new Set(always);
      hasChanged = false;
    },
    get always() {
      return always;
    },
    get ever() {
      return ever;
    },
    get hasChanged() {
      return hasChanged;
    },
  };
}

async function troubledSync(
  { full, trouble }: Extract<Step, { do: 'sync' }>,
  scene: Scene,
): Promise<void> {
  const { company, stage, history, figures } = scene;
  history.watch();
  const troubles = disturb(scene, trouble);
  const job = await (full ? stage.full() : stage.incremental());
  company.peer.fault = () => undefined;
  await checkRows(scene);
  count(figures, job.status);
  if (job.status === 'failed') {
    hold(troubles.count > 0, 'a sync without trouble completes', () => job.error);
    await stage.renew();
    return;
  }
  const isExact = full || stage.deleting === stage.incremental;
  const isWhole = job.status === 'completed' && job.entities_failed === 0;
  if (!isWhole || history.hasChanged) return;
  if (isExact) await held('a completed sync holds what the company has', () => stage.assertHeld());
  else await held('a completed sync finds what the company has', () => stage.assertFound());
}

/** Makes the requests fail, and lets things happen between them. Returns how much of this has happened. */
function disturb(
  { company, stage, ground, history, figures }: Scene,
  trouble: Trouble,
): { count: number } {
  const faults = faultsOf(trouble, company);
  const from = company.peer.requests.length;
  const done = { count: 0 };
  let isRefused = false;
  const blows: Record<Blow, () => unknown> = {
    kill: () => stage.kill(),
    cancel: () => stage.cancel(),
    slow: () => ground.pass(SLOW_MS),
    refuse: () => {
      isRefused = true;
    },
  };
  company.peer.fault = async (request, n) => {
    for (const { at, what } of trouble.events) {
      if (at !== n - from) continue;
      done.count++;
      if (what in blows) {
        count(figures, what);
        await blows[what as Blow]();
      } else history.change(what as Change);
    }
    if (isRefused) return company.refusals.unauthorized;
    const failed = faults(request);
    if (!failed) return undefined;
    done.count++;
    count(figures, failed.kind);
    return failed.fault;
  };
  return done;
}

/** Fails if the sync has deleted a record that the company had all the time, or written one that it never had. */
async function checkRows({ stage, ground, history }: Scene): Promise<void> {
  for (const { entity, change } of await ground.rows.take(stage.connection)) {
    if (change === 'vanished')
      hold(!history.always.has(entity), 'nothing is deleted that the company has', () => entity);
    else hold(history.ever.has(entity), 'nothing comes back that the company lacks', () => entity);
  }
}

async function held(rule: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error;
    throw new Violation(rule, error.message);
  }
}

/** Nothing fails any more. */
async function close(scene: Scene): Promise<void> {
  const { company, stage, history, ground } = scene;
  history.watch();
  for (let i = 1; ; i++) {
    const job = await stage.incremental();
    await checkRows(scene);
    if (job.status === 'completed') break;
    hold(i < CLOSING_SYNCS, 'a sync without trouble completes', () => job.error);
    await stage.renew();
  }
  // A full pull would also find what incremental ones have missed.
  await held('an incremental sync misses nothing', () => stage.assertFound());
  if (stage.deleting !== stage.incremental) {
    const { status, error } = await stage.deleting();
    hold(status === 'completed', 'a sync without trouble completes', () => error);
    await checkRows(scene);
  }
  await held('in the end all is held', () => stage.assertHeld());
  for (const again of [stage.incremental, stage.full]) {
    const { status, error, ...job } = await again();
    hold(status === 'completed', 'a sync without trouble completes', () => error);
    const written = [job.entities_inserted, job.entities_updated, job.entities_deleted];
    const isNothing = [...written, job.entities_failed].every((one) => one === 0);
    hold(isNothing, 'a second sync writes nothing', () => `${again.name}: ${written}`);
  }
  await held('in the end all is held', () => stage.assertHeld());
  const before = await contentsOf(ground.quarry.db, stage.connection);
  await stage.reconnect({ credentials: company.credentials });
  const { status, error } = await stage.full();
  hold(status === 'completed', 'a sync without trouble completes', () => error);
  const fresh = await contentsOf(ground.quarry.db, stage.connection);
  await held('it holds what a new connection holds', async () => {
    assert.deepEqual(before, fresh);
  });
}

/** The records of a part that may no longer be listed stay. The new connection has all of them. */
async function forbid(scene: Scene): Promise<void> {
  const { company, stage, history, figures } = scene;
  if (!company.forbidPart) return;
  count(figures, 'forbid');
  history.watch();
  company.forbidPart();
  history.change('edit');
  const { status, error } = await stage.full();
  hold(status === 'completed', 'a sync without trouble completes', () => error);
  await checkRows(scene);
  await held('records of a part that is forbidden stay', () => stage.assertHeld());
}

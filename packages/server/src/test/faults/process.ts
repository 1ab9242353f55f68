/** Simulates a process of the service on the shared database, with a worker and services connected as in app.ts. */
import type { Driver } from 'kysely';
import type { Logger } from 'pino';
import { createCollections } from '../../collections/service.ts';
import { createConnections } from '../../connections/service.ts';
import { watchRefusal } from '../../db/refused-writes.ts';
import { createDoctor } from '../../doctor/service.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import { giveBackAll, takeOverAll } from '../../jobs/queue.ts';
import type { Send } from '../../net/guarded-send.ts';
import { createVault } from '../../secrets.ts';
import { createSignInLinks } from '../../sign-in/browser/links.ts';
import { createTokenKeeper } from '../../sign-in/keeper.ts';
import type { Source, SourceEnvironment } from '../../sources/define.ts';
import { createPushIntake } from '../../syncs/pushes/intake.ts';
import { createSyncs } from '../../syncs/service.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { NO_TRACER } from '../../telemetry/trace.ts';
import { createTransformers } from '../../transformers/service.ts';
import { runWorker } from '../../worker.ts';
import { authProvidersOf, noModules, unlimited } from '../environment.ts';
import { smallEmbedder } from './embedder.ts';
import { openGated } from './gated.ts';
import type { Ground } from './ground.ts';
import type { Flow, Stage } from './stage.ts';

export interface Around {
  readonly ground: Ground;
  readonly stage: Stage;
  readonly sources: ReadonlyMap<string, Source>;
  readonly send: Send;
  readonly log: Logger;
  readonly committed: (process: Process, statements: readonly string[]) => void;
}

/** The leases of a dead process are taken over in one of these ways. */
export type Takeover = 'start' | 'thread' | 'expiry';

export type Services = ReturnType<typeof servicesOf>;

/** All seeds may use the same keys. */
const vault = createVault('a secret of at least thirty-two characters');
const nowhere = (send: Send): SourceEnvironment => ({
  allowPath: () => Promise.reject(new Error('no path is allowed')),
  ownFiles: () => Promise.reject(new Error('no path is allowed')),
  allowHost: () => Promise.reject(new Error('no host is allowed')),
  send,
  allowService: () => Promise.reject(new Error('no host is allowed')),
  sendToProvider: () => Promise.reject(new Error('no host is allowed')),
  downloadsFolder: '/nonexistent/downloads',
});

const LOOKS_FOR_DUE = /^select .* "connections"\."next_run_at" <= /;

export class Process {
  state: 'up' | 'frozen' | 'dead' = 'up';
  awakeSince = performance.now();
  lookedAt = 0;
  readonly services: Services;
  /** The disk is full for this many further statements. */
  fullDisk = 0;
  /** The process dies after this many further steps; undefined stands for no limit. */
  stepsToLive: number | undefined;
  readonly #around: Around;
  readonly #driver: Driver;
  readonly #database: ReturnType<typeof openGated>;
  readonly #index: ReturnType<typeof createSqliteIndex>;
  #worker: Awaited<ReturnType<typeof runWorker>> | undefined;
  /** A process cannot sleep between statements of one transaction, because it holds the write lock. */
  #freezeAtNextBegin = false;

  constructor(around: Around) {
    this.#around = around;
    const { path } = around.ground;
    this.#driver = around.ground.borrow();
    this.#database = openGated(path, this.#driver, {
      before: (...asked) => this.#before(...asked),
      committed: (statements) => around.committed(this, statements),
    });
    this.#index = createSqliteIndex({ dimensions: smallEmbedder(async () => {}).dimensions });
    this.services = servicesOf(this.#database.db, this.#index, around, () => this.#worker?.wake());
  }

  start(takeover: Takeover | undefined): Flow<void> {
    const { sources, send, stage, log } = this.#around;
    const { db } = this.#database;
    return stage.begin(this, async () => {
      if (takeover === 'start') await takeOverAll(db);
      if (takeover === 'thread') await giveBackAll(db, 'sqlite');
      this.#worker = await runWorker({
        db,
        kind: 'sqlite',
        isWatching: false,
        allowLoopback: false,
        historyDays: 90,
        index: this.#index,
        embedder: smallEmbedder(() => this.pause()),
        vault,
        sources,
        environment: nowhere(send),
        keeper: createTokenKeeper({ db, kind: 'sqlite', vault, log }),
        rateLimiter: unlimited,
        transformerRuntime: noModules,
        metrics: createMetrics(),
        tracer: NO_TRACER,
        log,
      });
    });
  }

  call<T>(work: (services: Services) => Promise<T>): Flow<T> {
    return this.#around.stage.begin(this, () => work(this.services));
  }

  /** Marks a step outside of the database. */
  async pause(): Promise<void> {
    this.#spend();
    await this.#around.stage.gate(this);
  }

  /** Freezes the process at its next step that holds no lock. */
  freeze(): void {
    this.#freezeAtNextBegin = true;
  }

  thaw(): void {
    this.#freezeAtNextBegin = false;
    if (this.state !== 'frozen') return;
    this.state = 'up';
    this.awakeSince = performance.now();
  }

  /** Ends the process at once, wherever it is. */
  async kill(): Promise<void> {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.#around.stage.bury();
    await this.#database.sever();
    this.#around.ground.giveBack(this.#driver);
  }

  /** Shuts the process down as an operator would: it gives back the jobs that it has leased. */
  stop(): Flow<void> {
    return this.#around.stage.begin(this, async () => {
      await this.#worker?.stop();
    });
  }

  async #before(statement: string, isInside: boolean, [first]: readonly unknown[]): Promise<void> {
    this.#spend();
    if (LOOKS_FOR_DUE.test(statement)) this.lookedAt = Number(first);
    if (!isInside && this.#freezeAtNextBegin) this.state = 'frozen';
    await this.#around.stage.gate(this);
    if (this.fullDisk > 0 && !statement.startsWith('select') && --this.fullDisk >= 0)
      throw Object.assign(new Error('database or disk is full'), {
        code: 'ERR_SQLITE_ERROR',
        errcode: 13,
      });
  }

  #spend(): void {
    if (this.stepsToLive !== undefined) this.stepsToLive--;
  }
}

function servicesOf(
  db: ReturnType<typeof openGated>['db'],
  index: ReturnType<typeof createSqliteIndex>,
  { sources, send, log }: Around,
  wake: () => void,
) {
  const embedder = smallEmbedder(async () => {});
  const syncs = createSyncs({ db, wake, whyRefused: watchRefusal(db) });
  const collections = createCollections({ db, embedder, index, syncs, sources });
  const connections = createConnections({
    db,
    kind: 'sqlite',
    keeper: createTokenKeeper({ db, kind: 'sqlite', vault, log }),
    authProviders: authProvidersOf({ db, vault }),
    links: createSignInLinks({ kind: 'sqlite', origin: () => 'http://localhost' }),
    collections,
    syncs,
    sources,
    environment: nowhere(send),
    rateLimiter: unlimited,
    transformers: createTransformers({ db, sources, runtime: noModules }),
    vault,
    log,
    storePush: createPushIntake(db, 'sqlite'),
  });
  const examine = () => Promise.reject(new Error('nobody looks for faults'));
  const maintenance = createDoctor({ db, collections, sources, examine, wake });
  return { syncs, collections, connections, maintenance };
}

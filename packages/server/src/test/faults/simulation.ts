/**
 * Simulates one seed: a fresh database, companies, processes, and a list of actions that happen to them. The
 * oracle looks at every commit, and each violation that it finds ends the simulation.
 */
import pino from 'pino';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { contextOf } from '../identity.ts';
import { random } from '../random/random.ts';
import { Violation } from '../random/violation.ts';
import type { Action } from './actions.ts';
import { type Clock, type Owner, running } from './clock.ts';
import { type Company, foundCompany } from './company.ts';
import type { Ground } from './ground.ts';
import { createOnline } from './online.ts';
import { answer, answerBelow, patienceOf } from './oracle/attempt.ts';
import { createObserver, type Observer } from './oracle/observe.ts';
import { Oracle } from './oracle/oracle.ts';
import { type Around, Process, type Services, type Takeover } from './process.ts';
import { openSearcher, type Searcher } from './searches.ts';
import { companySources, type Listener, type Trouble } from './source.ts';
import { type Flow, Stage } from './stage.ts';
import { noTrouble } from './trouble.ts';

export const START = Date.UTC(2026, 0, 1);

/** A connection that was created, or whose process died while it created the connection. */
export interface Connected {
  readonly id: string;
  readonly source: 'feed' | 'shelf' | 'push';
  readonly company: Company;
  /** The pulls that begin from now on have this trouble. */
  trouble: { left: number; of(): Trouble } | undefined;
  current: Trouble;
}

export class Simulation {
  readonly stage: Stage;
  readonly oracle: Oracle;
  readonly observer: Observer;
  readonly searcher: Searcher;
  readonly ctx: Ctx;
  readonly connected: Connected[] = [];
  readonly companies = new Map<string, Connected>();
  process: Process;
  /** A process that sleeps, or that woke up after another process took over its work. */
  late: Process | undefined;
  /** Errors in the log are expected, because the disk was full. */
  mayLog = false;
  isClockSet = false;
  made = 0;
  /** Counts the records of which sources were asked what is below them. */
  askedBelow = 0;
  #rev = 0;
  #marks = 0;
  #failure: unknown;
  readonly #around: Around;

  constructor(seed: number, clock: Clock, ground: Ground) {
    clock.reset(START);
    this.stage = new Stage(clock, random(seed), () => this.#throwFailure());
    this.observer = createObserver(ground.reading);
    this.oracle = new Oracle(this.observer);
    this.searcher = openSearcher(ground, this.oracle, this.observer);
    const log = pino({ level: 'error', base: null }, { write: (line) => this.#logged(line) });
    this.ctx = contextOf(ground.organizationId, { log });
    // Retries wait for a random time, which the seed must decide too.
    Math.random = () => this.stage.random.next();
    const listener = this.#listener();
    const online = createOnline(listener);
    this.#around = {
      ground,
      stage: this.stage,
      sources: companySources(listener, online),
      send: online.send,
      log,
      committed: (process, statements) =>
        this.#guard(() => this.oracle.committed(process, statements)),
    };
    this.process = new Process(this.#around);
  }

  get now(): number {
    return this.stage.clock.now;
  }

  readonly nextRev = (): number => ++this.#rev;

  circumstances(seed: number) {
    return { random: random(seed), now: this.now, nextRev: this.nextRev };
  }

  /** Starts the process that serves from now on. */
  async boot(takeover: Takeover | undefined): Promise<void> {
    this.process = new Process(this.#around);
    await this.settled(this.process.start(takeover));
  }

  settled<T>(flow: Flow<T>): Promise<void> {
    return this.stage.until(() => flow.isSettled || this.process.state === 'dead');
  }

  /** Calls the API, and returns undefined when the call was refused. */
  async call<T>(work: (services: Services) => Promise<T>): Promise<T | undefined> {
    this.stage.clock.now += 1 + this.stage.random.below(3);
    const flow = this.process.call(work);
    await this.settled(flow);
    try {
      return flow.result();
    } catch (error) {
      if (error instanceof AppError || this.mayLog) return undefined;
      throw error;
    }
  }

  /** Wakes sleeping processes and runs until no job is left. */
  async settle(): Promise<void> {
    this.late?.thaw();
    await this.stage.until(() => {
      const jobs = this.observer.firstInLine();
      // When all jobs wait for a retry, the clock jumps to the first of them.
      if (jobs.length > 0 && jobs.every((job) => job.lease_token === null))
        this.stage.clock.now = Math.max(this.now, Math.min(...jobs.map((job) => job.run_at)));
      return jobs.length === 0;
    });
  }

  newCompany(action: Extract<Action, { do: 'connect' }>): Company {
    const key = `c${this.made++}`;
    return foundCompany(key, action.size, this.circumstances(action.seed));
  }

  /**
   * Runs searches, and calls `meanwhile` in the middle of each. Without `meanwhile`, the processes do some steps there
   * if they have jobs.
   */
  async checkSearches(meanwhile?: () => Promise<void>): Promise<void> {
    const collections = this.observer.collections().filter(({ deleted_at }) => deleted_at === null);
    const persons = [null, ['user:ann'], ['user:bob', 'group:inner'], []];
    for (const { id: collectionId } of collections) {
      const { random } = this.stage;
      const asker = { collectionId, principals: random.pick(persons) };
      const isBusy = this.observer.firstInLine().length > 0;
      const steps = isBusy ? () => this.#someSteps() : undefined;
      await this.searcher.check(asker, meanwhile ?? steps);
      // While the clock was set ahead, the index may have forgotten deleted chunk numbers too early.
      if (!this.isClockSet) await this.searcher.checkMemory(collectionId);
    }
    await this.searcher.records.check(this.ctx);
  }

  async #someSteps(): Promise<void> {
    for (let i = this.stage.random.below(40); i > 0; i--) await this.stage.step();
  }

  async close(): Promise<void> {
    for (const process of [this.process, this.late])
      if (process && process.state !== 'dead') await process.kill();
  }

  #listener(): Listener {
    const owner = () => running.getStore() as Owner;
    const told = (tell: () => void) => this.#guard(tell);
    const of = (key: string) => this.companies.get(key)!;
    return {
      begin: (pull, pulled) => {
        const connected = of(pulled.key);
        told(() => this.oracle.pullBegins(owner(), pull, pulled));
        const { trouble } = connected;
        connected.current = trouble && trouble.left-- > 0 ? trouble.of() : noTrouble();
        return { company: connected.company, trouble: connected.current };
      },
      mark: () => ++this.#marks,
      vendor: (key) => ({ company: of(key).company, trouble: of(key).current }),
      pause: () => (owner() as Process).pause(),
      said: (pull, item) => told(() => this.oracle.said(pull, item)),
      answered: (pull, item) => told(() => answer(this.oracle.attemptOf(pull), item)),
      answeredBelow: (pull, item) => {
        this.askedBelow++;
        told(() => answerBelow(this.oracle.attemptOf(pull), item));
      },
      members: (pull, members) =>
        told(() => {
          this.oracle.attemptOf(pull).members = members;
        }),
      ended: (pull) =>
        told(() => {
          this.oracle.attemptOf(pull).ended = true;
        }),
      threw: (pull, kind) =>
        told(() => {
          this.oracle.attemptOf(pull).threw = kind;
        }),
      patience: (pull, seconds) =>
        told(() => {
          this.oracle.attemptOf(pull).patience = patienceOf(seconds);
        }),
      check: told,
    };
  }

  /** Stores the violation, because the code under test must not catch it. */
  #guard(look: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      look();
    } catch (error) {
      this.#failure = error;
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #logged(line: string): void {
    const { err, msg } = JSON.parse(line);
    if (this.mayLog) return;
    this.#guard(() => {
      throw new Violation('nothing breaks', `${msg}: ${err?.stack ?? ''}`);
    });
  }
}

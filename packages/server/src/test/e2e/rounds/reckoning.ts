/** Waits until all work has ended, and compares what the service shows with the world. */
import { encounteredBy } from '../../random/counters.ts';
import { hold, same } from '../../random/violation.ts';
import { checkJobs, checkWorld } from './checks.ts';
import { allJobs, mustAsk, openJobs } from './client.ts';
import type { Answering } from './cluster.ts';
import type { Book, Copy, Pulled } from './copies.ts';

/** A job whose worker died is taken over and ends within this time. */
export const PATIENCE_MS = 60_000;

export interface Accounts {
  readonly pulled: readonly Pulled[];
  /** These are all connections, also those that are pushed to. */
  readonly copies: readonly Copy[];
  readonly book: Book;
  /** Compares what the service shows while it works. */
  readonly look: () => Promise<boolean>;
}

export class Reckoning {
  readonly #service: Answering;
  readonly #accounts: Accounts;

  constructor(service: Answering, accounts: Accounts) {
    this.#service = service;
    this.#accounts = accounts;
  }

  /** Everything must be exactly as the world is, and all of these jobs must exist and be completed. */
  async settle(seed: number, acknowledged: Iterable<string>): Promise<void> {
    const { pulled, copies } = this.#accounts;
    await this.untilIdle();
    await this.#pull();
    await this.confirm();
    await checkWorld(this.#service, copies, seed);
    for (const [i, job] of (await this.#pull()).entries()) {
      const size = pulled[i]?.ledger.present().size;
      same(
        `${job.entities_kept} ${encounteredBy(job)}`,
        `${size} ${size}`,
        'a second sync changes nothing',
        JSON.stringify(job),
      );
      same(job.entities_deleted, 0, 'a second sync changes nothing', JSON.stringify(job));
    }
    await checkWorld(this.#service, copies, seed + 1);
    await checkJobs(this.#service, copies, acknowledged);
  }

  async untilIdle(): Promise<void> {
    const patience = Date.now() + PATIENCE_MS;
    for (;;) {
      const jobs = await openJobs(this.#service);
      if (jobs.length === 0) return;
      hold(Date.now() < patience, 'a job goes on within a minute while a worker lives', () =>
        JSON.stringify(jobs),
      );
      await this.#accounts.look();
    }
  }

  /** A completed job rules out the states before it. */
  async confirm(): Promise<void> {
    for (const { id, status, entities_failed } of await allJobs(this.#service)) {
      const entry = this.#accounts.book.get(id);
      // A file that was replaced while it was read has failed, and its record stays as it was.
      if (entry && status === 'completed' && entities_failed === 0)
        entry.ledger.confirm(entry.mark);
    }
  }

  /** Runs one sync of every connection, from now to its end. */
  async #pull() {
    const started: string[] = [];
    for (const pulled of this.#accounts.pulled) {
      const id = await pulled.run();
      hold(id, 'an idle connection can be synced', () => pulled.id);
      started.push(id);
    }
    await this.untilIdle();
    for (const pulled of this.#accounts.pulled) pulled.settled();
    return Promise.all(started.map((id) => mustAsk(this.#service, 'GET', `/v1/sync/jobs/${id}`)));
  }
}

/** Each source connection of the play has a ledger of what it may show. */
import type { Random } from '../../random/random.ts';
import { hold } from '../../random/violation.ts';
import { COLLECTION, mustAsk } from './client.ts';
import type { Answering } from './cluster.ts';
import { Ledger } from './ledger.ts';
import { type Place, textOf } from './places.ts';

/** Maps each acknowledged job to the mark before which it has seen everything, once it is completed. */
export type Book = Map<string, { readonly ledger: Ledger; readonly mark: number }>;

/** A sync asks for a confirmation when it would delete more than this. */
const MAX_REMOVED = 45;
const PUSHED_IDS = 80;

export interface Copy {
  readonly id: string;
  readonly syncId: string;
  readonly ledger: Ledger;
  /** A change of several documents is visible as a whole or not at all. */
  readonly together: boolean;
}

const wordOf = (chance: Random) =>
  `w${[0, 1]
    .map(() =>
      chance
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')}`;
const paragraphsOf = (chance: Random) => (chance.below(50) === 0 ? 25 : 1 + chance.below(3));

async function connect(cluster: Answering, settings: object) {
  const answer = await cluster.call('POST', '/v1/source-connections', {
    name: 'Rounds',
    readable_collection_id: COLLECTION,
    ...settings,
  });
  hold(answer?.status === 200, 'a connection is created', () => JSON.stringify(answer));
  return answer.body as { id: string; sync_id: string };
}

export class Pulled implements Copy {
  readonly together = false;
  readonly ledger = new Ledger();
  readonly #place: Place;
  readonly #cluster: Answering;
  readonly #book: Book;
  #connection: { id: string; sync_id: string } | undefined;
  #numbers = 0;
  #removed = 0;

  constructor(place: Place, cluster: Answering, book: Book) {
    this.#place = place;
    this.#cluster = cluster;
    this.#book = book;
  }

  get size(): number {
    return this.#place.size;
  }

  get id(): string {
    return this.#connection!.id;
  }

  get syncId(): string {
    return this.#connection!.sync_id;
  }

  /** Creates the connection, which begins its first sync. */
  async open(chance: Random): Promise<void> {
    for (let i = 0; i < this.#place.size; i++) await this.#put(this.#newId(), chance);
    const mark = this.ledger.mark();
    const schedule = { cron: null };
    this.#connection = await connect(this.#cluster, { ...this.#place.settings, schedule });
    const [job] = await mustAsk(this.#cluster, 'GET', `/v1/source-connections/${this.id}/jobs`);
    this.#book.set(job.id, { ledger: this.ledger, mark });
  }

  async edit(chance: Random, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const ids = [...this.ledger.present().keys()];
      const id = chance.pick(ids);
      const what = chance.next();
      if (what < 0.5) await this.#put(id, chance);
      else if (what < 0.7 || this.#removed >= MAX_REMOVED)
        await this.#put(ids.length > this.#place.size * 1.1 ? id : this.#newId(), chance);
      else if (what < 0.85) {
        this.#removed++;
        await this.ledger.change(new Map([[id, null]]), () => this.#place.remove(id));
      } else await this.#rename(id, this.#newId());
    }
  }

  /**
   * Returns the id of the job, or undefined when no job was started, because another one runs or the process died.
   */
  async run(): Promise<string | undefined> {
    const mark = this.ledger.mark();
    const answer = await this.#cluster.call('POST', `/v1/source-connections/${this.id}/run`);
    if (!answer || answer.status === 409) return undefined;
    hold(answer.status === 200, 'a sync can be started', () => JSON.stringify(answer));
    this.#book.set(answer.body.id, { ledger: this.ledger, mark });
    return answer.body.id;
  }

  /** A completed sync has seen all deletions. */
  settled(): void {
    this.#removed = 0;
  }

  close(): Promise<void> {
    return this.#place.close();
  }

  #newId(): string {
    return this.#place.idOf(this.#numbers++);
  }

  #put(id: string, chance: Random): Promise<void> {
    const word = wordOf(chance);
    const text = textOf(word, paragraphsOf(chance));
    return this.ledger.change(new Map([[id, word]]), () => this.#place.put(id, text));
  }

  #rename(from: string, to: string): Promise<void> {
    this.#removed++;
    const word = this.ledger.present().get(from)!;
    const words = new Map<string, string | null>([
      [from, null],
      [to, word],
    ]);
    return this.ledger.change(words, () => this.#place.rename(from, to));
  }
}

interface Sent {
  readonly body: object;
  readonly finish: () => void;
}

/** Sends each push until the service accepts it (202), and only after the one before. */
export class Pushed implements Copy {
  readonly together = true;
  readonly ledger = new Ledger();
  readonly id: string;
  readonly syncId: string;
  readonly #cluster: Answering;
  readonly #book: Book;
  readonly #owed: Sent[] = [];

  private constructor(connection: { id: string; sync_id: string }, cluster: Answering, book: Book) {
    this.id = connection.id;
    this.syncId = connection.sync_id;
    this.#cluster = cluster;
    this.#book = book;
  }

  static async open(cluster: Answering, book: Book): Promise<Pushed> {
    return new Pushed(await connect(cluster, { short_name: 'push' }), cluster, book);
  }

  async push(chance: Random): Promise<void> {
    const words = new Map<string, string | null>();
    const entities: object[] = [];
    const there = this.ledger.present();
    for (let i = 1 + chance.below(15); i > 0; i--) {
      const id = `p${chance.below(PUSHED_IDS)}`;
      if (words.has(id)) continue;
      const word = chance.next() < 0.35 && there.has(id) ? null : wordOf(chance);
      words.set(id, word);
      if (word !== null)
        entities.push({ entity_id: id, name: id, text: textOf(word, paragraphsOf(chance)) });
    }
    const gone = [...words].flatMap(([id, word]) => (word === null ? [id] : []));
    this.#owed.push({ body: { entities, delete: gone }, finish: this.ledger.begin(words) });
    await this.send();
  }

  /** Sends the pushes that are owed. A push without an answer stays owed. */
  async send(): Promise<void> {
    for (let sent = this.#owed[0]; sent; sent = this.#owed[0]) {
      const path = `/v1/source-connections/${this.id}/entities`;
      const answer = await this.#cluster.call('POST', path, sent.body);
      if (!answer) return;
      hold(answer.status === 202, 'a push is accepted', () => JSON.stringify(answer));
      this.#owed.shift();
      sent.finish();
      this.#book.set(answer.body.id, { ledger: this.ledger, mark: this.ledger.mark() });
    }
  }
}

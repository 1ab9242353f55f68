/**
 * The naive oracle knows what each source yielded and what each caller was promised. After each commit it looks
 * at the whole database, and asks of every difference which process made it and whether it was allowed to.
 */
import { LEASE_MS } from '../../../jobs/queue.ts';
import type { Entity } from '../../../model/entity.ts';
import type { SourceItem } from '../../../sources/items.ts';
import { hold, same } from '../../random/violation.ts';
import type { Owner } from '../clock.ts';
import { type Attempt, newAttempt, say } from './attempt.ts';
import {
  type ConnectionView,
  checkCursor,
  checkCursorAtEnd,
  followConnections,
} from './connection-view.ts';
import { checkBroken, checkEnded } from './ended.ts';
import { createGroups } from './groups.ts';
import { checkIndex, type Stored } from './index-check.ts';
import {
  checkCounters,
  checkPatience,
  countersOf,
  isLive,
  type JobView,
  NEXT,
  newJobView,
} from './job-view.ts';
import { createLeases } from './leases.ts';
import type { ConnectionRow, EntityRow, JobRow, Observer } from './observe.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { pushedBy } from './pushed.ts';
import { checkScheduled } from './schedule.ts';
import { checkTransition } from './transition.ts';
import { tableWritten } from './written.ts';

type Rows = ReadonlyMap<string, EntityRow>;

/** A pull begins, or goes on at its bookmark. */
interface Pulled {
  readonly key: string;
  readonly part: string;
  readonly bookmark: number | undefined;
  /** The pull has a cursor, so it lists what has changed since then. */
  readonly hasCursor: boolean;
}

const HISTORY = ['collections', 'connections', 'sync_jobs', 'left_out_records', 'events'];
const MEMBERS = ['group_members', 'connections'];
const INDEXED = [
  'entities',
  'entity_counts',
  'entity_fields',
  'chunks',
  'chunk_bodies',
  'indexes',
  'gone',
];
const NO_ROWS: Rows = new Map();

export class Oracle {
  readonly jobs = new Map<string, JobView>();
  /** Maps connections to their rows, which are mapped by their id in the source. */
  rows = new Map<string, Rows>();
  /** Maps the field `rev` to the entity that a caller has pushed with it. */
  readonly pushed = new Map<number, Entity>();
  readonly outbox: Outbox;
  readonly #observer: Observer;
  readonly #connections = new Map<string, ConnectionView>();
  /** Maps row ids to the content of their entities. */
  readonly #contents = new Map<string, Entity>();
  readonly #pulls = new WeakMap<object, Attempt>();
  /** Maps the number of each bookmark to the batches before it. */
  readonly #bookmarks = new Map<number, Pick<Attempt, 'part' | 'batches'>>();
  readonly #groups: ReturnType<typeof createGroups>;
  readonly #leases: ReturnType<typeof createLeases>;
  #chunks = new Set<number>();
  /** The clock showed this time before it was set. It counts until `ends`, by the monotonic clock. */
  #beforeSet = { now: 0, ends: 0 };
  /** Maps each collection to the version of its index. */
  #versions = new Map<string, number>();

  readonly #stored: Stored;

  constructor(observer: Observer) {
    this.#observer = observer;
    this.#stored = {
      observer,
      contentOf: (row) => this.contentOf(row),
      isDeleted: (id) => this.#connections.get(id)?.row.deleted_at !== null,
    };
    this.#groups = createGroups(observer);
    this.#leases = createLeases(observer);
    this.outbox = createOutbox(observer);
    // Events for the first state of the database exist as well.
    this.outbox.committed(observer.connections(), observer.jobs());
  }

  /** The clock will be set. A worker that read it before that may commit what it began after that. */
  clockIsSet(): void {
    this.#beforeSet = { now: this.#latest(), ends: performance.now() + LEASE_MS };
  }

  /** Returns the latest time that a worker which commits now can have read from the clock. */
  #latest(): number {
    const { now, ends } = this.#beforeSet;
    return performance.now() < ends ? Math.max(now, Date.now()) : Date.now();
  }

  connection(id: string): ConnectionView | undefined {
    return this.#connections.get(id);
  }

  contentOf(row: EntityRow): Entity | undefined {
    return this.#contents.get(row.id);
  }

  /** A pull begins. Its items belong to the job that this process has begun, if the process still has the job. */
  pullBegins(owner: Owner, pull: object, pulled: Pulled): void {
    const { key, part, bookmark } = pulled;
    const said = bookmark === undefined ? undefined : this.#bookmarks.get(bookmark);
    if (said) same(said.part, part, 'a bookmark is one of the configuration that stands', key);
    const attempt = newAttempt(part, {
      ...(said && { said: said.batches }),
      hasPlace: pulled.hasCursor || said !== undefined,
    });
    this.#pulls.set(pull, attempt);
    for (const view of this.jobs.values()) {
      const connection = this.#connections.get(view.row.connection_id);
      if (!isLive(view) || view.owner !== owner || connection?.key !== key) continue;
      view.attempt ??= attempt;
      const begins = !pulled.hasCursor && bookmark === undefined;
      hold(
        begins || !view.mustBeginAgain,
        'a job begins from the start when its place is forgotten',
        () => key,
      );
      view.mustBeginAgain = false;
      if (begins)
        hold(view.row.full, 'who begins from the start looks for what is gone', () => key);
      if (pulled.hasCursor)
        same(connection.cursorPart, part, 'a cursor is one of the configuration that stands', key);
    }
  }

  said(pull: object, item: SourceItem): void {
    const attempt = this.attemptOf(pull);
    say(attempt, item);
    if (item.kind !== 'bookmark') return;
    const { mark } = item.position as { mark: number };
    this.#bookmarks.set(mark, { part: attempt.part, batches: attempt.batches.slice(0, -1) });
  }

  attemptOf(pull: object): Attempt {
    const attempt = this.#pulls.get(pull);
    hold(attempt, 'a source is asked within its pull', () => '');
    return attempt;
  }

  committed(owner: Owner, statements: readonly string[]): void {
    const written = new Set(statements.flatMap(tableWritten));
    if (written.size === 0) return;
    this.#observer.forget(written);
    const touches = (tables: readonly string[]) => tables.some((table) => written.has(table));
    if (written.has('jobs')) this.#leases.check(owner);
    if (touches(HISTORY)) {
      const connections = this.#observer.connections();
      const jobs = this.#observer.jobs();
      checkScheduled(this.jobs, jobs, {
        before: (id) => this.#connections.get(id)?.row,
        now: connections,
        lookedAt: owner.lookedAt,
      });
      this.#lookAtConnections(owner, connections);
      this.#lookAtJobs(owner, jobs);
      this.outbox.committed(connections, jobs);
    }
    const isIndexWritten = touches(INDEXED);
    const hasMoved = [...this.jobs.values()].some((view) => view.cursorAt !== undefined);
    if (isIndexWritten || hasMoved) this.#lookAtRows(owner);
    if (isIndexWritten) checkIndex(this.#stored);
    if (isIndexWritten || touches(HISTORY)) {
      for (const view of this.jobs.values()) if (isLive(view)) checkCounters(view);
      this.#lookAtEnds();
    }
    if (touches(MEMBERS)) {
      const living = [...this.#connections].filter(([, { row }]) => row.deleted_at === null);
      this.#groups.check(living.map(([id]) => id));
    }
  }

  #lookAtConnections(owner: Owner, rows: readonly ConnectionRow[]): void {
    for (const view of followConnections(this.#connections, rows)) {
      const mover = [...this.jobs.values()].find(
        (one) => one.row.connection_id === view.row.id && isLive(one) && one.owner === owner,
      );
      checkCursor(view, mover);
    }
  }

  #lookAtJobs(owner: Owner, rows: readonly JobRow[]): void {
    const present = new Set<string>();
    for (const row of rows) {
      present.add(row.id);
      const view = this.jobs.get(row.id);
      if (!view) this.jobs.set(row.id, newJobView(row));
      else this.#follow(view, row, owner);
    }
    for (const [id, { row }] of this.jobs)
      if (!present.has(id)) {
        const connection = this.#connections.get(row.connection_id);
        hold(!connection || connection.row.deleted_at !== null, 'no job is lost', () => id);
        this.jobs.delete(id);
      }
  }

  #follow(view: JobView, row: JobRow, owner: Owner): void {
    const before = view.row;
    const where = `job ${row.id}`;
    if (row.status !== before.status)
      hold(
        this.#nextOf(before).includes(row.status),
        'a job moves on, and ends once',
        () => `${where} from ${before.status} to ${row.status}`,
      );
    view.row = row;
    if (row.waits_until !== null && row.waits_until !== before.waits_until) {
      hold(view.owner === owner, 'a late worker changes nothing', () => where);
      checkPatience(view, row.waits_until);
      checkBroken(view, this.rows.get(row.connection_id) ?? NO_ROWS);
    }
    if (row.begun_again !== before.begun_again) view.mustBeginAgain = true;
    if (row.attempt !== before.attempt) {
      const isTime = before.waits_until === null || this.#latest() >= before.waits_until;
      hold(isTime, 'a job waits as long as it should', () => where);
      this.#begin(view, owner);
    } else if (countersOf(row) !== countersOf(before)) {
      hold(view.owner === owner, 'a late worker changes nothing', () => where);
      if (before.status === 'CANCELLING') view.afterCancel++;
      hold(view.afterCancel <= 1, 'a cancel ends a job after the commit in hand', () => where);
    }
    if (row.status !== before.status && ['COMPLETED', 'FAILED'].includes(row.status))
      hold(view.owner === owner, 'a late worker changes nothing', () => where);
  }

  /** A deleted connection or collection asks its jobs to stop, and ends them at once. */
  #nextOf({ status, connection_id }: JobRow): readonly JobRow['status'][] {
    const connection = this.#connections.get(connection_id);
    const isGone = !connection || connection.row.deleted_at !== null;
    return isGone && status === 'RUNNING' ? ['CANCELLED'] : NEXT[status];
  }

  #begin(view: JobView, owner: Owner): void {
    const { row } = view;
    const connection = this.#connections.get(row.connection_id)!;
    this.#leases.checkBegun(row, owner);
    for (const other of this.jobs.values())
      if (other !== view && other.row.connection_id === row.connection_id && isLive(other))
        hold(other.row.id > row.id, 'jobs of a connection run in their order', () => row.id);
    view.owner = owner;
    view.applied = new Map();
    if (view.attempt) view.past.push(view.attempt);
    view.settled = row.full ? [] : [...view.settled, ...view.upToCursor];
    view.upToCursor = [];
    view.attempt =
      row.trigger === 'push' ? pushedBy(this.#observer, this.pushed, row.id) : undefined;
    view.configurations = connection.configurations;
    if (row.attempt === 1) view.known = this.rows.get(row.connection_id)?.size ?? 0;
  }

  #lookAtRows(owner: Owner): void {
    const rows = this.#observer.entities();
    const chunks = this.#observer.chunks();
    const fresh = new Map<string, number>();
    const numbers = new Set<number>();
    for (const { n, connection_id } of chunks) {
      numbers.add(n);
      if (!this.#chunks.has(n)) fresh.set(connection_id, (fresh.get(connection_id) ?? 0) + 1);
    }
    this.#chunks = numbers;

    const versions = this.#versions;
    this.#versions = new Map(
      this.#observer.indexes().map((index) => [index.collection_id, index.version]),
    );
    const before = this.rows;
    this.rows = new Map();
    for (const [id, mine] of Map.groupBy(rows, (row) => row.connection_id))
      this.rows.set(id, new Map(mine.map((row) => [row.entity_id, row])));
    for (const id of new Set([...before.keys(), ...this.rows.keys()])) {
      const connection = this.#connections.get(id);
      const view = this.#writerOf(id, owner);
      if (view) view.chunks += fresh.get(id) ?? 0;
      const change = { before: before.get(id) ?? NO_ROWS, now: this.rows.get(id) ?? NO_ROWS };
      checkTransition(change, {
        view,
        isDeleted: connection?.row.deleted_at !== null,
        isIndexTold: (collectionId) =>
          versions.get(collectionId) !== this.#versions.get(collectionId),
        mayDropMuch:
          connection !== undefined && connection.configurations > connection.configurationsAtFull,
        contents: this.#contents,
      });
    }
  }

  #writerOf(connectionId: string, owner: Owner): JobView | undefined {
    for (const view of this.jobs.values())
      if (view.row.connection_id === connectionId && isLive(view) && view.owner === owner)
        return view;
    return undefined;
  }

  #lookAtEnds(): void {
    for (const view of this.jobs.values()) {
      if (isLive(view) || view.isChecked) continue;
      view.isChecked = true;
      const { attempt } = view;
      const { connection_id, full, status } = view.row;
      const connection = this.#connections.get(connection_id);
      if (!connection || connection.row.deleted_at !== null) continue;
      checkEnded(view, this.rows.get(connection_id) ?? NO_ROWS);
      if (status === 'COMPLETED') checkCursorAtEnd(connection, view);
      if (status !== 'COMPLETED') continue;
      if (attempt?.members) this.#groups.completed(connection_id, attempt.members);
      if (!full) continue;
      connection.configurationsAtFull = view.configurations;
    }
  }
}

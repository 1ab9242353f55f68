/**
 * Each change has its events in its own commit, and each event has its change (docs/events.md). After every
 * commit the new events in the outbox are compared with the changes of collections, connections and jobs.
 */
import { isDeepStrictEqual } from 'node:util';
import { hold, same } from '../../random/violation.ts';
import type { CollectionRow, ConnectionRow, JobRow, Observer } from './observe.ts';

interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly organization_id: string;
  readonly collection_id: string;
  readonly connection_id: string | null;
  readonly event_type: string;
  readonly payload: string;
  readonly created_at: number;
}

type Expected = Pick<
  EventRow,
  'organization_id' | 'collection_id' | 'connection_id' | 'event_type'
> & {
  readonly fields: Readonly<Record<string, unknown>>;
};

export interface Outbox {
  /** Must be called after every commit that may have touched a collection, a connection, a job or an event. */
  committed(connections: readonly ConnectionRow[], jobs: readonly JobRow[]): void;
  /** No event may be changed, removed or inserted between others. Old events may be deleted. */
  checkKept(now: number): void;
}

const RULE = 'an event exists exactly if its change does';
const KEPT_MS = 30 * 24 * 3_600_000;
const TOLD = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'];

export function createOutbox(observer: Observer): Outbox {
  const told: EventRow[] = [];
  let collections = new Map<string, CollectionRow>();
  let connections = new Map<string, ConnectionRow>();
  let jobs = new Map<string, JobRow>();

  function changesOfCollections(now: ReadonlyMap<string, CollectionRow>): Expected[] {
    return [...now.values()].flatMap((row) => {
      const before = collections.get(row.id);
      if (!before) return ofCollection('collection.created', row);
      if (row.deleted_at !== before.deleted_at) return ofCollection('collection.deleted', row);
      const isSame = row.name === before.name && row.sync_config === before.sync_config;
      return isSame ? [] : ofCollection('collection.updated', row);
    });
  }

  /** Returns the creations first, then the jobs, then the deletions. */
  function changesIn(
    collection: CollectionRow,
    rows: readonly ConnectionRow[],
    jobsOf: ReadonlyMap<string, readonly JobRow[]>,
  ): Expected[] {
    return rows.flatMap((row) => {
      const before = connections.get(row.id);
      if (before && before.deleted_at !== null) return [];
      const moved = (jobsOf.get(row.id) ?? []).filter(
        ({ id, status }) => TOLD.includes(status) && jobs.get(id)?.status !== status,
      );
      return [
        ...(before ? [] : [ofConnection('source_connection.created', row, collection)]),
        ...moved.map((job) => ofJob(job, row, collection)),
        ...(row.deleted_at === null
          ? []
          : [ofConnection('source_connection.deleted', row, collection)]),
      ];
    });
  }

  return {
    committed(connectionRows, jobRows) {
      const collectionsNow = new Map(observer.collections().map((row) => [row.id, row]));
      const jobsOf = Map.groupBy(jobRows, (job) => job.connection_id);
      const expected = changesOfCollections(collectionsNow);
      for (const [id, some] of Map.groupBy(connectionRows, (row) => row.collection_id)) {
        const collection = collectionsNow.get(id);
        if (collection?.deleted_at === null) expected.push(...changesIn(collection, some, jobsOf));
      }
      collections = collectionsNow;
      connections = new Map(connectionRows.map((row) => [row.id, row]));
      jobs = new Map(jobRows.map((row) => [row.id, row]));
      const fresh = observer.all<EventRow>(
        'select * from events where seq > ? order by seq',
        told.at(-1)?.seq ?? 0,
      );
      told.push(...fresh);
      compare(fresh, expected);
    },

    checkKept(now) {
      const kept = new Map(
        observer.all<EventRow>('select * from events').map((row) => [row.id, row]),
      );
      for (const row of told) {
        const stored = kept.get(row.id);
        kept.delete(row.id);
        if (stored || row.created_at >= now - KEPT_MS)
          hold(isDeepStrictEqual(stored, row), 'what was told stands', () => row.payload);
      }
      same(kept.size, 0, RULE, [...kept.keys()].join());
    },
  };
}

/** Jobs that move in one statement have no order. Creations come first, and deletions come last. */
function compare(fresh: readonly EventRow[], expected: readonly Expected[]): void {
  const actual = fresh.map(toExpected);
  const list = (events: readonly Expected[]) => JSON.stringify(events, null, 1);
  const isRight = isDeepStrictEqual(sorted(actual), sorted(expected));
  hold(isRight, RULE, () => `${list(actual)} should be ${list(expected)}`);
  for (const some of Map.groupBy(actual, (event) => event.connection_id).values()) {
    const isFirst = some.findLastIndex(({ event_type }) => event_type.endsWith('.created')) <= 0;
    const last = some.findIndex(({ event_type }) => event_type.endsWith('.deleted'));
    const isLast = last < 0 || last === some.length - 1;
    hold(isFirst && isLast, 'events are in the order of their changes', () => list(some));
  }
}

function sorted(events: readonly Expected[]): Expected[] {
  const keyOf = ({ collection_id, connection_id, event_type, fields }: Expected) =>
    [collection_id, connection_id, event_type, fields.job_id].join();
  return events.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function toExpected({ payload, created_at, ...row }: EventRow): Expected {
  const { event_type, timestamp, organization_id, ...fields } = JSON.parse(payload);
  same(event_type, row.event_type, RULE, 'the type');
  same(timestamp, new Date(created_at).toISOString(), RULE, 'the time');
  same(organization_id, row.organization_id, RULE, 'the organization');
  const { collection_id, connection_id } = row;
  return { organization_id, collection_id, connection_id, event_type, fields };
}

const ofCollection = (event_type: string, row: CollectionRow): Expected => ({
  organization_id: row.organization_id,
  collection_id: row.id,
  connection_id: null,
  event_type,
  fields: nameOf(row),
});

const nameOf = ({ id, readable_id, name }: CollectionRow) => ({
  collection_id: id,
  collection_readable_id: readable_id,
  collection_name: name,
});

const ofConnection = (
  event_type: string,
  row: ConnectionRow,
  { id, readable_id }: CollectionRow,
): Expected => ({
  organization_id: row.organization_id,
  collection_id: id,
  connection_id: row.id,
  event_type,
  fields: {
    source_connection_id: row.id,
    collection_readable_id: readable_id,
    source_type: row.short_name,
    is_authenticated: row.refused_at === null,
  },
});

const ofJob = (job: JobRow, connection: ConnectionRow, collection: CollectionRow): Expected => ({
  organization_id: connection.organization_id,
  collection_id: collection.id,
  connection_id: connection.id,
  event_type: `sync.${job.status.toLowerCase()}`,
  fields: {
    ...nameOf(collection),
    sync_id: connection.sync_id,
    sync_job_id: job.id,
    job_id: job.id,
    source_connection_id: connection.id,
    source_type: connection.short_name,
    status: job.status,
    entities_inserted: job.entities_inserted,
    entities_updated: job.entities_updated,
    entities_deleted: job.entities_deleted,
    entities_skipped: job.entities_skipped,
    chunks_written: job.chunks_written,
    error: job.error,
  },
});

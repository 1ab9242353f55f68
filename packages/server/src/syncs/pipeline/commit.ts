/**
 * This is one transaction of a sync: entities, chunks, words, vectors, counters and cursor are stored together or not
 * at all, and only if the job still holds its lease and its connection still exists. A worker that wakes up late
 * changes nothing.
 */
import type { Insertable, Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { EntityTable, Schema, Tx } from '../../db/schema.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import type { Chunk } from '../../model/chunk.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import { newId } from '../../util.ts';
import { type BookmarkUpdate, writeBookmark } from '../jobs/bookmark-store.ts';
import { holdConnection, writeCursor } from '../jobs/connection-store.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import { write as writeLeftOut } from '../jobs/left-out-store.ts';
import { addTally, noTally, type Tally } from '../jobs/tally.ts';
import { type EntityChange, type Judge, type Seen, timesChanged } from './compare.ts';
import { addToFields, fieldsOf } from './field-store.ts';
import { type FieldCount, fieldsIn, less, sumOf } from './fields.ts';
import { wantsListing } from './recipe.ts';
import { compress } from './record.ts';
import { INCOMPLETE, writeTransformed } from './reprocess-store.ts';
import * as store from './store.ts';
import type { KeptAsShown } from './transform.ts';

/** A job fills this connection under these rules. */
export interface CommitTarget {
  readonly organizationId: string;
  readonly collectionId: string;
  readonly connectionId: string;
  /** The job works with the configuration of this time. */
  readonly configuredAt: number;
  readonly cursorField: string | null;
  readonly syncId: string;
  readonly jobId: string;
  readonly leaseToken: string;
  readonly generation: Judge['generation'];
  readonly firstGeneration: Judge['firstGeneration'];
  readonly recipe: Judge['recipe'];
  readonly attempt: string;
  readonly definitionId: (type: string) => string;
}

export type PreparedChange = EntityChange & {
  readonly row: string;
  readonly chunks: readonly Chunk[];
  /** The shown form of the entity holds a secret. */
  readonly hasSecret: boolean;
};

export interface Changes {
  readonly writes: readonly PreparedChange[];
  readonly seen: readonly Seen[];
  readonly deletions: readonly store.StoredEntity[];
  /** Only the source's content of these records is new, and what is shown of them stays. */
  readonly held: readonly KeptAsShown[];
  /** The sync does not take these records in, and the tally counts each of them. */
  readonly leftOut: readonly LeftOutRecord[];
  /** These records exist at the source and failed, so their stored entities are not swept. */
  readonly spared: readonly string[];
  /** This transaction adds the tally to the counters. */
  readonly tally: Tally;
  /** The stored cursor stays as it is when this is undefined. */
  readonly cursor: unknown;
  readonly bookmark: BookmarkUpdate | undefined;
}

/** Other changes are spread over this empty set. */
export const nothing: Changes = {
  writes: [],
  seen: [],
  deletions: [],
  held: [],
  leftOut: [],
  spared: [],
  tally: noTally,
  cursor: undefined,
  bookmark: undefined,
};

/** The job has another worker, has ended, or its connection is deleted. Nothing was written. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

export interface Committer {
  /** Returns the counters so far. */
  readonly total: () => Tally;
  /** Returns the job's status as it was at the commit. Throws Fenced. */
  commit(changes: Changes): Promise<SyncStatus>;
  /** Does the same with work that changes no counter and counts as no progress of the job. */
  also(work: (tx: Tx) => Promise<void>): Promise<SyncStatus>;
}

export interface CommitDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly index: SearchIndex;
}

export function createCommitter(
  { db, kind, index }: CommitDeps,
  target: CommitTarget,
  meter: { requests: number; bytes: number },
  start: Tally,
): Committer {
  let total = start;

  const fenced = (
    tally: Tally,
    progressed: boolean,
    work: (tx: Tx) => Promise<void>,
  ): Promise<SyncStatus> =>
    db.transaction().execute(async (tx) => {
      if (!(await holdConnection(tx, target.connectionId)))
        throw new Fenced('the connection has been deleted');
      const job = { id: target.jobId, leaseToken: target.leaseToken };
      const status = await store.writeTally(tx, job, tally, meter, progressed);
      if (!status) throw new Fenced('the job is no longer ours');
      await work(tx);
      return status;
    });

  return {
    total: () => total,
    also: (work) => fenced(total, false, work),
    async commit(changes) {
      const next = addTally(total, changes.tally);
      const rows = changes.writes.map((write) => toRow(write, target));
      const status = await fenced(next, true, async (tx) => {
        if (changes.cursor !== undefined)
          await writeCursor(tx, target.connectionId, target, changes.cursor);
        // This comes before the bookmark, which settles all left-out records that are written by then.
        await writeLeftOut(tx, target.jobId, total, changes.leftOut);
        if (changes.bookmark) await writeBookmark(tx, target, changes.bookmark, next);

        const removed = changes.deletions.map(({ id }) => id);
        const replaced = changes.writes.flatMap(({ stored }) => stored?.id ?? []);
        const before = await fieldsOf(tx, kind, [...replaced, ...removed]);
        await store.writeEntities(tx, rows);
        await writeIndex(tx, changes.writes, removed);
        await store.deleteEntities(tx, removed);

        const { seen, leftOut } = changes;
        const refreshed = seen.filter((one) => refreshNeeded(one));
        const ids = seen.map(({ stored }) => stored.id);
        await store.markSeen(tx, ids, target.generation);
        await store.refresh(tx, refreshed);
        if (refreshed.some(timesChanged)) await index.touch(tx, target.collectionId);
        await store.hold(tx, changes.held.map(toHeld));
        await store.spare(tx, target, changes.spared);
        if (leftOut.some(({ kind, stage }) => kind === 'fail' && stage === 'transform'))
          await writeTransformed(tx, target.connectionId, INCOMPLETE);
        await store.addToCounts(tx, target.connectionId, countDeltas(changes));
        await addToFields(tx, target.connectionId, fieldDeltas(before, changes));
      });
      total = next;
      return status;
    },
  };

  async function writeIndex(tx: Tx, writes: readonly PreparedChange[], removed: readonly string[]) {
    const chunks = writes.flatMap((write) => write.chunks);
    // A new entity without chunks has nothing to replace.
    const changed = writes.filter(({ stored, chunks }) => stored || chunks.length > 0);
    const entities = [...changed.map(({ row }) => row), ...removed];
    if (entities.length > 0) await index.write(tx, target, entities, chunks);
  }
}

/** Returns the row id under which a change is stored. */
export const rowId = (change: EntityChange): string => change.stored?.id ?? newId();

const refreshNeeded = (seen: Seen) =>
  timesChanged(seen) ||
  seen.stored.version !== seen.version ||
  seen.stored.partition !== seen.partition;

const toHeld = ({ stored, source, recipe, version, partition }: KeptAsShown) => ({
  id: stored.id,
  raw: compress(source.entity),
  source_hash: source.hash,
  recipe,
  version,
  partition,
});

/** An entity that is kept only to be transformed again shows none of its content. */
const NOTHING = { name: '', url: null, breadcrumbs: '[]', viewers: null, metadata: '{}' } as const;

function toRow(write: PreparedChange, target: CommitTarget): Insertable<EntityTable> {
  const { entity, stored, contentChanged, source, hidden } = write;
  const now = Date.now();
  return {
    id: write.row,
    organization_id: target.organizationId,
    collection_id: target.collectionId,
    connection_id: target.connectionId,
    entity_id: entity.id,
    entity_type: entity.type,
    definition_id: target.definitionId(entity.type),
    sync_id: target.syncId,
    sync_job_id: stored && !contentChanged ? stored.sync_job_id : target.jobId,
    hash: write.hash,
    source_hash: source?.hash ?? null,
    origin: write.origin,
    is_hidden: hidden !== null,
    has_secret: write.hasSecret,
    recipe: write.recipe,
    version: write.version,
    partition: write.partition,
    generation: write.generation,
    is_listed: isListed(write),
    name: entity.name,
    url: entity.url ?? null,
    breadcrumbs: JSON.stringify(entity.breadcrumbs ?? []),
    source_created_at: entity.createdAt?.getTime() ?? null,
    source_updated_at: entity.updatedAt?.getTime() ?? null,
    viewers: entity.access?.viewers ? JSON.stringify(entity.access.viewers) : null,
    is_public: entity.access?.isPublic ?? false,
    metadata: JSON.stringify(entity.fields),
    raw: compress(source?.entity ?? entity),
    shown: source && hidden === null && source.entity !== entity ? compress(entity) : null,
    ...(hidden !== null && NOTHING),
    created_at: stored?.created_at ?? now,
    modified_at: stored && !contentChanged ? stored.modified_at : now,
  };
}

const isListed = ({ hidden, recipe }: PreparedChange) => hidden === null && wantsListing(recipe);

/** Returns how many more entities have each field than the replaced and deleted ones had. */
function fieldDeltas(before: readonly FieldCount[], { writes }: Changes): FieldCount[] {
  const shown = writes.filter(({ hidden }) => hidden === null).map(({ entity }) => entity);
  return sumOf([...fieldsIn(shown), ...before.map(less)]);
}

/** Returns how the numbers of stored entities change, by type. */
function countDeltas(changes: Changes) {
  const deltas = new Map<string, { type: string; count: number; listed: number }>();
  const add = (type: string, count: number, isListed: boolean) => {
    const delta = deltas.get(type) ?? { type, count: 0, listed: 0 };
    delta.count += count;
    if (isListed) delta.listed += count;
    deltas.set(type, delta);
  };
  for (const write of changes.writes) {
    const { stored } = write;
    if (stored && !stored.is_hidden) add(stored.entity_type, -1, stored.is_listed);
    if (write.hidden === null) add(write.entity.type, 1, isListed(write));
  }
  for (const { entity_type, is_listed, is_hidden } of changes.deletions)
    if (!is_hidden) add(entity_type, -1, is_listed);
  return [...deltas.values()].filter(({ count, listed }) => count !== 0 || listed !== 0);
}

/** An admin may have a collection examined, repaired, or indexed again. */
import type { Kysely } from 'kysely';
import { holdCaller } from '../audit/act.ts';
import type { Collections } from '../collections/service.ts';
import { type Ctx, causeOf } from '../context.ts';
import type { Db, Schema } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { enqueueAll } from '../jobs/queue.ts';
import { requireSignIn } from '../sign-in/needed.ts';
import type { Source } from '../sources/define.ts';
import { lockConnections } from '../syncs/jobs/connection-store.ts';
import { totalEntities } from '../syncs/pipeline/sweep-store.ts';
import { newId } from '../util.ts';
import type { Examination, Examine } from './examine.ts';
import * as store from './run-store.ts';
import type { DoctorRequest, MaintenanceRun, Report } from './schema.ts';
import { toProblem, toRun } from './view.ts';

export interface DoctorDeps {
  readonly db: Kysely<Schema>;
  readonly collections: Pick<Collections, 'resolve'>;
  readonly sources: ReadonlyMap<string, Source>;
  readonly examine: Examine;
  /** The service calls this to tell the worker that there is work. */
  readonly wake: () => void;
}

export type Doctor = ReturnType<typeof createDoctor>;

interface DoctorCollection {
  readonly id: string;
  readonly readable_id: string;
}

interface RequestedRun {
  readonly kind: MaintenanceRun['kind'];
  readonly tasks: readonly store.NewTask[];
}

export function createDoctor(deps: DoctorDeps) {
  const { db, collections } = deps;

  /** Begins a run. A collection has only one run at a time, because two runs would do the same work twice. */
  async function begin(
    ctx: Ctx,
    collection: DoctorCollection,
    { kind, tasks }: RequestedRun,
  ): Promise<MaintenanceRun> {
    const id = newId();
    await db.transaction().execute(async (tx) => {
      await holdCaller(tx, ctx);
      if (!(await store.lockCollection(tx, collection.id)))
        throw notFound('collection', collection.readable_id);
      await requireIdle(tx, collection.id);
      const run = {
        id,
        collection_id: collection.id,
        kind,
        created_at: Date.now(),
        created_by_email: ctx.account.email,
      };
      // A lane runs its entries in the order of `seq`, which the database assigns at the insert, before the commit.
      // Therefore a transaction that inserts an entry for a connection locks that connection. Otherwise a greater
      // number could become visible first, and both entries would run at once.
      const connections = new Set(tasks.flatMap((task) => task.connection_id ?? []));
      const held = new Set(await lockConnections(tx, [...connections]));
      const possible = tasks.filter(({ connection_id: id }) => id === null || held.has(id));
      const stored = await store.insertRun(tx, run, possible);
      await enqueueAll(
        tx,
        'maintenance.task',
        stored.map((task) => ({
          data: { taskId: task.id },
          lane: task.connection_id ?? collection.id,
          cause: causeOf(ctx),
        })),
      );
    });
    deps.wake();
    return show(collection, id);
  }

  async function requireIdle(on: Db, collectionId: string): Promise<void> {
    const live = await store.unfinishedRun(on, collectionId);
    if (live)
      throw conflict(
        `the collection is being worked on already (run ${live}); wait until that has ended`,
      );
  }

  async function show(
    { id: collectionId, readable_id }: DoctorCollection,
    id: string,
  ): Promise<MaintenanceRun> {
    const run = await store.find(db, collectionId, id);
    if (!run) throw notFound('maintenance run', id);
    return toRun(run, readable_id);
  }

  async function requireComparable(
    collection: DoctorCollection,
    connectionId: string,
  ): Promise<void> {
    const connection = await store.connectionOf(db, collection.id, connectionId);
    if (!connection) throw notFound('source connection', connectionId);
    const { short_name: shortName } = connection;
    if (!deps.sources.get(shortName)?.pull)
      throw invalid(`'${shortName}' lists nothing that could be compared`, {
        loc: ['body', 'source_connection_id'],
        code: 'not_pullable',
      });
    requireSignIn(connection);
  }

  async function repairTasks(collectionId: string, { suspects }: Examination) {
    const byConnection = await store.byConnection(db, collectionId, suspects ?? []);
    const connections = await store.connectionSizes(db, collectionId);
    const index: store.NewTask = { kind: 'index', connection_id: null, total: 0, suspects: [] };
    return [
      ...connections.map(
        ({ id, entities }): store.NewTask => ({
          kind: 'repair',
          connection_id: id,
          total: entities,
          suspects: suspects && (byConnection.get(id) ?? []),
        }),
      ),
      index,
    ];
  }

  return {
    /**
     * Examines the collection and returns the problems that it finds. A repair and a comparison with the source then
     * run in the background.
     */
    async doctor(ctx: Ctx, readableId: string, request: DoctorRequest): Promise<Report> {
      const collection = await collections.resolve(ctx, readableId);
      const { repair, source_connection_id: connectionId } = request;
      if (connectionId !== undefined) await requireComparable(collection, connectionId);
      // An examination may take minutes, so a request that cannot start a run is refused before the examination.
      if (repair || connectionId !== undefined) await requireIdle(db, collection.id);
      const examination = await deps.examine(
        { collectionId: collection.id, repair, cause: causeOf(ctx) },
        ctx.signal,
      );
      const problems = examination.problems.map(toProblem);
      const tasks: store.NewTask[] = [];
      if (repair && problems.some(({ repairable }) => repairable))
        tasks.push(...(await repairTasks(collection.id, examination)));
      if (connectionId !== undefined)
        tasks.push({
          kind: 'listing',
          connection_id: connectionId,
          total: await totalEntities(db, connectionId),
          suspects: [],
        });
      const { connections, entities } = examination.pending;
      return {
        collection_readable_id: readableId,
        checked: examination.checked,
        pending: { source_connections: connections, entities },
        problems,
        run: tasks.length > 0 ? await begin(ctx, collection, { kind: 'doctor', tasks }) : null,
      };
    },

    async reindex(ctx: Ctx, readableId: string): Promise<MaintenanceRun> {
      const collection = await collections.resolve(ctx, readableId);
      const connections = await store.connectionSizes(db, collection.id);
      const tasks = connections.map(
        ({ id, entities }): store.NewTask => ({
          kind: 'reindex',
          connection_id: id,
          total: entities,
          suspects: [],
        }),
      );
      return begin(ctx, collection, { kind: 'reindex', tasks });
    },

    /** Returns a page of runs, the newest first. */
    async list(ctx: Ctx, readableId: string, page: Page): Promise<Listed<MaintenanceRun>> {
      const { id } = await collections.resolve(ctx, readableId);
      const { total, rows } = await store.list(db, id, page);
      return { total, rows: rows.map((run) => toRun(run, readableId)) };
    },

    get: async (ctx: Ctx, readableId: string, id: string): Promise<MaintenanceRun> =>
      show(await collections.resolve(ctx, readableId), id),
  };
}

/**
 * This file starts a job of a connection for a caller. Throws a 409 while an earlier job of the connection has not
 * ended.
 */
import type { Kysely } from 'kysely';
import { act } from '../audit/act.ts';
import { type Ctx, causeOf } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { requireSignIn } from '../sign-in/needed.ts';
import { type Source, syncMode } from '../sources/define.ts';
import type { SourceConnectionJob } from '../syncs/schema.ts';
import type { StartOptions, Syncs } from '../syncs/service.ts';
import * as store from './store.ts';

export type JobStarter = ReturnType<typeof createJobStarter>;

interface StartedConnection {
  readonly row: store.ConnectionRow;
  readonly source: Source;
}

export function createJobStarter({ db, syncs }: { db: Kysely<Schema>; syncs: Syncs }) {
  async function start(
    ctx: Ctx,
    row: store.ConnectionRow,
    options: StartOptions,
  ): Promise<SourceConnectionJob> {
    const job = await act(db, ctx, async (tx, on) => {
      if (!(await store.lock(tx, row.id))) throw notFound('source connection', row.id);
      if (await syncs.isBusy(tx, row.id))
        throw conflict('a sync of this connection is already running; wait for it or cancel it');
      const made = await syncs.start(tx, row, { ...options, cause: causeOf(ctx) });
      on({ id: made.id, name: row.name, details: { source_connection_id: row.id } });
      return made;
    });
    syncs.wake();
    return job;
  }

  return {
    /** Starts a sync. Throws a 422 for a source that is not pulled, and a 409 when somebody has to sign in first. */
    async pull(
      ctx: Ctx,
      { row, source }: StartedConnection,
      options: StartOptions,
    ): Promise<SourceConnectionJob> {
      const mode = syncMode(source);
      if (mode !== 'pull')
        throw invalid(
          mode === 'push'
            ? `a ${row.short_name} connection has nothing to pull: push entities into it`
            : `a ${row.short_name} connection has nothing to pull: each search asks the source itself`,
          { loc: ['path', 'id'], code: 'not_pullable' },
        );
      requireSignIn(row);
      return start(ctx, row, options);
    },

    /**
     * Starts a job that transforms the stored entities again. Throws a 422 for a federated source, which has no stored
     * entities.
     */
    async reprocess(ctx: Ctx, { row, source }: StartedConnection): Promise<SourceConnectionJob> {
      if (syncMode(source) === 'federated')
        throw invalid(
          `a ${row.short_name} connection stores nothing to reprocess: each search asks the source itself`,
          { loc: ['path', 'id'], code: 'not_stored' },
        );
      return start(ctx, row, { trigger: 'reprocess', email: ctx.account.email });
    },
  };
}

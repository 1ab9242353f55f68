/**
 * Deletes a connection. It first cancels a running sync and waits up to 15 seconds until the worker has stopped. Then
 * one commit makes all records of the connection unreachable. A background job removes the rows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { act } from '../audit/act.ts';
import { type Ctx, causeOf } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import { emit } from '../events/store.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Syncs } from '../syncs/service.ts';
import * as store from './store.ts';
import { connectionEvent } from './view.ts';

const WAIT_FOR_WORKER_MS = 15_000;

export async function removeConnection(
  { db, syncs }: { db: Kysely<Schema>; syncs: Pick<Syncs, 'cancelAll' | 'endAll' | 'isBusy'> },
  ctx: Ctx,
  row: { readonly id: string; readonly readable_id: string; readonly collection_id: string },
): Promise<void> {
  const { id } = row;
  const { email } = ctx.account;
  await db.transaction().execute((tx) => syncs.cancelAll(tx, id, email));
  const deadline = performance.now() + WAIT_FOR_WORKER_MS;
  while ((await syncs.isBusy(db, id)) && performance.now() < deadline) await sleep(20);
  await act(db, ctx, async (tx, on) => {
    const deleted = await store.markDeleted(tx, id);
    if (!deleted) throw notFound('source connection', id);
    await syncs.endAll(tx, { connectionId: id }, email);
    const last = { ...deleted, readable_id: row.readable_id };
    const cause = causeOf(ctx);
    await emit(tx, { ...connectionEvent('source_connection.deleted', last), cause });
    await enqueue(tx, 'connection.cleanup', {
      data: { connectionId: id, collectionId: row.collection_id },
      lane: id,
      cause,
    });
    on({ id, name: deleted.name });
  });
}

/**
 * A recovery makes the undelivered messages due, in the background and a few hundred messages per commit. It ends
 * at the newest message, because later messages are delivered without it. It also ends when the subscription is
 * disabled or deleted, because its messages are not wanted any more.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import * as store from './recover-store.ts';

const MESSAGES_PER_COMMIT = 500;

export async function recover(
  { db, kind }: { readonly db: Kysely<Schema>; readonly kind: DatabaseKind },
  id: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const task = await store.findRunning(db, id);
    if (!task) return;
    const { organization_id: organizationId, filter_types: types } = task;
    const seqs =
      organizationId && types
        ? await store.nextMessages(db, organizationId, {
            ...task,
            types,
            limit: MESSAGES_PER_COMMIT,
          })
        : [];
    const last = seqs.at(-1);
    if (last === undefined) return void (await store.complete(db, id, Date.now()));
    await db.transaction().execute(async (tx) => {
      const due = await store.makeDue(tx, kind, { subscriptionId: task.subscription_id, seqs });
      await store.advance(tx, id, { afterSeq: last, due });
    });
  }
}

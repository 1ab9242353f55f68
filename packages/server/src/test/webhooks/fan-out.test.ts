/** Tests that a delivery exists if and only if its message exists, in whichever order transactions commit. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { DATABASES, hasOwnClock, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
import { openPost, type Post } from './post.ts';
import { type Receiver, startReceiver } from './receiver.ts';

for (const database of DATABASES) {
  describe(`fan-out on ${database.name}`, () => {
    let test: TestDatabase;
    let post: Post;
    let receiver: Receiver;
    before(async () => {
      test = await database.open();
      post = openPost(test);
      receiver = await startReceiver();
    });
    after(async () => {
      await post.close();
      await receiver.close();
    });
    const seqs = async (id: string) =>
      (await post.deliveries(id)).map(({ event_seq }) => event_seq);

    it('[DLV-02] [WHK-24] a message goes only to the enabled subscriptions of its organization for its event type', async () => {
      const [ours, theirs] = [await post.organization(), await post.organization()];
      const wanting = await post.subscribe(ours, `${receiver.url}/a`);
      const other = await post.webhooks.create(ours, {
        url: `${receiver.url}/b`,
        event_types: ['collection.updated', 'sync.completed'],
      });
      const disabled = await post.subscribe(ours, `${receiver.url}/c`);
      await post.webhooks.update(ours, disabled.id, { disabled: true });
      const foreign = await post.subscribe(theirs, `${receiver.url}/d`);
      await post.tell(ours, 3);
      assert.equal((await seqs(wanting.id)).length, 3);
      for (const { id } of [other, disabled, foreign]) assert.deepEqual(await seqs(id), []);
    });

    it('[WHK-15] test messages of one organization at the same time do not wait for each other', async () => {
      const ctx = await post.organization();
      const ids: string[] = [];
      for (let i = 0; i < 10; i++)
        ids.push((await post.subscribe(ctx, `${receiver.url}/tested-${i}`)).id);
      for (let round = 0; round < 5; round++)
        await Promise.all(ids.map((id) => post.messages.test(ctx, id)));
      for (const id of ids) assert.equal((await seqs(id)).length, 5);
    });

    it('a message whose transaction commits after that of a later message is delivered', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const ctx = await post.organization();
      const { id } = await post.subscribe(ctx, `${receiver.url}/late`);
      const early = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const first = post.db.transaction().execute(async (tx) => {
        await post.emitIn(tx, ctx);
        early.resolve();
        await mayCommit.promise;
      });
      await early.promise;
      await post.tell(ctx);
      post.start();
      await until(() => receiver.at('/late').length === 1);
      mayCommit.resolve();
      await first;
      await until(() => receiver.at('/late').length === 2);
      await post.stopAll();
      const [one = 0, two = 0] = await seqs(id);
      assert.ok(one < two);
    });

    it('[WHK-11] [WHK-25] a message that was emitted while its subscription was being enabled is recovered', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const ctx = await post.organization();
      const { id } = await post.subscribe(ctx, `${receiver.url}/enabled`);
      await post.webhooks.update(ctx, id, { disabled: true });
      const told = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const telling = post.db.transaction().execute(async (tx) => {
        await post.emitIn(tx, ctx);
        told.resolve();
        await mayCommit.promise;
      });
      await told.promise;
      const recover_since = new Date(Date.now() - 60_000).toISOString();
      let isEnabled = false;
      const enabling = post.webhooks
        .update(ctx, id, { disabled: false, recover_since })
        .then(() => {
          isEnabled = true;
        });
      try {
        // Enabling waits for the open transaction, which has read that the subscription is
        // disabled.
        await until(async () => isEnabled || (await waiting(test)).rows.length > 0);
        assert.equal(isEnabled, false);
      } finally {
        mayCommit.resolve();
      }
      await Promise.all([telling, enabling]);
      await post.recoverAll();
      assert.equal((await seqs(id)).length, 1);
    });
  });
}

const waiting = ({ db }: TestDatabase) => sql`select 1 from pg_locks where not granted`.execute(db);

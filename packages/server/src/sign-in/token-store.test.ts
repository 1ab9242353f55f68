import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { insertCollection, insertConnection, insertOrganization } from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { sealedText } from '../test/sealed.ts';
import { newId } from '../util.ts';
import * as store from './token-store.ts';

for (const database of DATABASES)
  describe(`claims on renewals on ${database.name}`, () => {
    let test: TestDatabase;
    let connectionId: string;
    let collection: { id: string; organization_id: string };
    before(async () => {
      test = await database.open();
      collection = { id: newId(), organization_id: await insertOrganization(test.db) };
      await insertCollection(test.db, collection);
    });
    after(() => test.close());
    beforeEach(async () => {
      connectionId = await insertConnection(test.db, collection);
      await store.ensure(test.db, connectionId);
    });

    const sealed = { tokens: sealedText('x'), tokens_key: 'k', leftMs: 60_000, renewInMs: 30_000 };
    const claim = (
      id: string,
      { version = 0, failures = 0, takesOver = true, forMs = 60_000 } = {},
    ) => store.claim(test, { connectionId, version, claim: id }, { failures, forMs, takesOver });
    const held = (id: string, version = 0) => ({ connectionId, version, claim: id });

    it('[AUTH-24] are given to one caller, and to another one only after they have ended', async () => {
      assert.equal(await claim('a'), true);
      assert.equal(await claim('b'), false);
      await store.fail(test, held('a'), { kind: 'transient', message: 'm', restMs: 0 });
      assert.equal(await claim('c', { failures: 1, forMs: -1 }), true);
      assert.equal(await claim('d', { failures: 1, takesOver: false }), false);
      assert.equal(await claim('d', { failures: 1 }), true);
    });

    it('[AUTH-24] are not given to a caller who has not seen a renewal or a failure of another one', async () => {
      await claim('a');
      await store.fail(test, held('a'), { kind: 'transient', message: 'm', restMs: 0 });
      assert.equal(await claim('b'), false, 'this caller has not seen the failure');
      assert.equal(await claim('b', { failures: 1 }), true);
      assert.equal(await store.store(test, held('b'), sealed), true);
      assert.equal(await claim('c'), false, 'this caller has not seen the new tokens');
      assert.equal(await claim('c', { version: 1 }), true);
    });

    it('[AUTH-25] store no tokens and no failure after the tokens have been replaced', async () => {
      await claim('a');
      await test.db
        .transaction()
        .execute((tx) => store.replace(tx, test.kind, { connectionId, ...sealed }));
      assert.equal(
        await store.store(test, held('a'), { ...sealed, tokens: sealedText('old') }),
        false,
      );
      await store.fail(test, held('a'), { kind: 'auth', message: 'm', restMs: 0 });
      await store.abandon(test, held('a'));
      const row = await store.read(test, connectionId);
      assert.deepEqual([row?.tokens, row?.version, row?.fault], ['x', 1, null]);
      const { refused_at } = await test.db
        .selectFrom('connections')
        .select('refused_at')
        .where('id', '=', connectionId)
        .executeTakeFirstOrThrow();
      assert.equal(refused_at, null);
    });

    it('are not made for a deleted connection', async () => {
      const gone = await insertConnection(test.db, collection, { deleted_at: 1 });
      await store.ensure(test.db, gone);
      assert.equal(await store.read(test, gone), undefined);
      const rows = await test.db
        .selectFrom('connection_tokens')
        .select('version')
        .where('connection_id', '=', gone)
        .execute();
      assert.deepEqual(rows, []);
    });

    it('are deleted with the credentials from which they were made', async () => {
      await claim('a');
      await store.store(test, held('a'), sealed);
      await test.db.transaction().execute((tx) => store.forget(tx, connectionId));
      const row = await store.read(test, connectionId);
      assert.deepEqual([row?.tokens, row?.version, row?.expires_at], [null, 2, null]);
    });
  });

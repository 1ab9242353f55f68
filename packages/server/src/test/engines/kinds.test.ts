/** An index names the connections and types of which the asker may see something. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../util.ts';
import { describeIndexes } from './index-kind.ts';
import type { Connection, Doc } from './world.ts';

describeIndexes('kinds of what one may see', (fresh) => {
  it('[SRH-30] [ENT-25] names types and connections of which the asker may see something', async () => {
    const { collection, database, docs, index, world } = await fresh();
    const others = await world.connection(collection, 'notes');
    const elsewhere = await world.connection(await world.collection());
    const put = async (to: Connection, type: string, some: readonly Doc[]) => {
      await world.save(
        to,
        some.map((doc) => ({ ...doc, type })),
      );
      await database.db
        .insertInto('entity_counts')
        .values({
          connection_id: to.connectionId,
          entity_type: type,
          count: some.length,
          listed: some.length,
        })
        .execute();
    };
    const both = [docs.connectionId, others.connectionId].toSorted();
    const kinds = async (principals: readonly string[] | null, live = both) =>
      (await index.kinds(database.db, collection, { live, principals })).map(
        ({ connectionId, entityType }) =>
          `${connectionId === docs.connectionId ? 'docs' : 'others'} ${entityType}`,
      );
    assert.deepEqual(await kinds(null), []);
    await put(docs, 'Note', [{ id: 'open', texts: ['a'] }]);
    await put(docs, 'Ledger', [
      { id: 'bob', texts: ['b'], viewers: ['user:bob'] },
      { id: 'nobody', texts: ['c'], viewers: [] },
    ]);
    await put(docs, 'Gone', []);
    await put(others, 'Ledger', [{ id: 'ann', texts: ['d'], viewers: ['group:x', 'user:ann'] }]);
    await put(others, 'Poster', [{ id: 'all', texts: ['e'], viewers: [], isPublic: true }]);
    await put(elsewhere, 'Other', [{ id: 'x', texts: ['f'] }]);
    const sorted = async (...asked: Parameters<typeof kinds>) => (await kinds(...asked)).toSorted();
    assert.deepEqual(await sorted(null), [
      'docs Ledger',
      'docs Note',
      'others Ledger',
      'others Poster',
    ]);
    assert.deepEqual(await sorted(['user:ann']), ['docs Note', 'others Ledger', 'others Poster']);
    assert.deepEqual(await sorted(['user:bob']), ['docs Ledger', 'docs Note', 'others Poster']);
    assert.deepEqual(await sorted([]), ['docs Note', 'others Poster']);
    assert.deepEqual(await sorted([], [docs.connectionId]), ['docs Note']);
    assert.deepEqual(await kinds(null, []), []);
    assert.deepEqual(await index.kinds(database.db, newId(), { live: [], principals: null }), []);
    // After a change, the next question finds the new type.
    await world.save(docs, [{ id: 'bob', type: 'Ledger', texts: ['b'], viewers: ['user:ann'] }]);
    assert.deepEqual(await sorted(['user:bob']), ['docs Note', 'others Poster']);
    assert.ok((await kinds(['user:ann'])).includes('docs Ledger'));
    // A transformer drops the record later: it stays stored, but is shown to no asker.
    await database.db
      .updateTable('entities')
      .set({ is_hidden: true })
      .where('connection_id', '=', others.connectionId)
      .execute();
    await database.db.transaction().execute((tx) => index.touch(tx, collection));
    assert.deepEqual(await sorted([]), ['docs Note']);
  });
});

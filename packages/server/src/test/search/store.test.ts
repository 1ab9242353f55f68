/**
 * Tests each condition of the queries by itself, although callers check some of them before. So the rows here belong to
 * several owners.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { groupsOf } from '../../search/groups-store.ts';
import * as store from '../../search/store.ts';
import { chunked } from '../../util.ts';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';

for (const engine of ENGINES.filter(({ database, index }) => index === database.name))
  describe(`the queries of a search on ${engine.name}`, () => {
    let library: Library;
    let place: store.SearchedCollections;
    let collectionId: string;
    let stranger: string;
    let here: Connection;
    let deleted: Connection;
    let elsewhere: Connection;
    /** The connection is in the same collection, but belongs to another organization. */
    let strange: Connection;

    before(async () => {
      library = await openLibrary(engine);
      collectionId = await library.addCollection();
      place = { organizationId: library.organizationId, collectionIds: [collectionId] };
      stranger = await library.addOrganization();
      here = await library.addConnection(collectionId);
      deleted = await library.addConnection(collectionId);
      elsewhere = await library.addConnection(await library.addCollection());
      strange = await library.addConnection(collectionId, 'push', stranger);
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', deleted.id)
        .execute();
    });
    after(() => library.close());

    it('`liveConnections` returns the connections of the collection that are not deleted', async () => {
      const second = await library.addConnection(collectionId);
      const found = await store.liveConnections(library.db, place);
      assert.deepEqual(
        found.map(({ id }) => id),
        [here.id, second.id].toSorted(),
      );
    });

    it('`chunks` returns only chunks of the searched collection, whatever numbers are asked for', async () => {
      for (const [connection, collection] of [
        [here, collectionId],
        [deleted, collectionId],
        [strange, collectionId],
        [elsewhere, await collectionOf(elsewhere)],
      ] as const)
        await library.put(collection, connection, [{ id: connection.id, text: 'the same text' }]);
      const numbers = await library.db
        .selectFrom('chunks')
        .select(['n', 'collection_id'])
        .execute();
      assert.equal(numbers.length, 4);
      const found = await store.chunks(library.db, place, numbers);
      assert.deepEqual(
        found.map((row) => [row.entity_id, row.connection_id]),
        [[here.id, here.id]],
      );
      const theirs = { ...place, organizationId: stranger };
      const seen = await store.chunks(library.db, theirs, numbers);
      assert.deepEqual(
        seen.map((row) => row.entity_id),
        [strange.id],
      );
    });

    it('`chunksAt` finds chunks by their positions, also after they were written again', async () => {
      const one = await library.addConnection(collectionId);
      const other = await library.addConnection(collectionId);
      const text = Array.from({ length: 3 }, (_, i) => `# Part ${i}\n\n${'words '.repeat(1500)}`);
      const doc = { id: 'twice', text: text.join('\n\n') };
      await library.put(collectionId, one, [doc]);
      await library.put(collectionId, other, [doc]);
      const before = await library.db
        .selectFrom('chunks')
        .where('connection_id', '=', one.id)
        .select('n')
        .orderBy('position')
        .execute();
      await library.put(collectionId, one, [doc]);
      const places = [0, 2].map((position) => ({
        ...{ collection_id: collectionId, connection_id: one.id, entity_id: 'twice', position },
      }));
      const numbers = await store.chunksAt(library.db, places);
      const rows = await store.chunks(library.db, place, numbers);
      assert.deepEqual(
        rows.map((row) => [row.connection_id, row.position]).toSorted(),
        places.map((row) => [row.connection_id, row.position]),
      );
      assert.ok(rows.every(({ n }) => before.every((old) => old.n !== n)));
      assert.deepEqual(await store.chunksAt(library.db, []), []);
    });

    it('`chunksOfEntity` returns the chunks of one connection, with the first and the last position', async () => {
      const second = await library.addConnection(collectionId);
      const text = Array.from({ length: 4 }, (_, i) => `# Part ${i}\n\n${'words '.repeat(1500)}`);
      for (const connection of [here, second])
        await library.put(collectionId, connection, [{ id: 'same', text: text.join('\n') }]);
      const span = { collectionId, connectionId: here.id, entityId: 'same', from: 1, to: 2 };
      const numbers = await store.chunksOfEntity(library.db, span);
      const rows = await store.chunks(library.db, place, numbers);
      assert.deepEqual(
        rows.map((row) => [row.connection_id, row.position]).toSorted(),
        [1, 2].map((position) => [here.id, position]),
      );
    });

    it('`groupsOf` returns groups of connections that are not deleted, from their current lists, through groups and circles', async () => {
      await join(here, 'group:a', 'user:me');
      await join(elsewhere, 'group:b', 'group:a');
      await join(here, 'group:a', 'group:b');
      await join(deleted, 'group:deleted', 'user:me');
      await join(strange, 'group:strange', 'user:me');
      await join(here, 'group:others', 'user:you');
      // These lists are not the current lists of their connections.
      await join(here, 'group:unfinished', 'user:me', 1);
      await join(elsewhere, 'group:unfinished', 'group:a', 1);
      // These memberships lead through another group.
      await join(deleted, 'group:deleted', 'group:a');
      await join(strange, 'group:strange', 'group:a');
      const found = await groupsOf(library.db, place.organizationId, ['user:me']);
      assert.deepEqual(found, ['group:a', 'group:b']);
    });

    it('`groupsOf` reads at most ten thousand groups, and reads them quickly', {
      timeout: 10_000,
    }, async () => {
      const many = Array.from({ length: 10_001 }, (_, i) => ({
        connection_id: here.id,
        group_name: `group:${i}`,
        member: 'user:popular',
      }));
      for (const some of chunked(many, 5000))
        await library.db
          .insertInto('group_members')
          .values([...some])
          .execute();
      const found = await groupsOf(library.db, place.organizationId, ['user:popular']);
      assert.equal(found.length, 10_000);
    });

    const join = ({ id }: Connection, group_name: string, member: string, list = 0) =>
      library.db
        .insertInto('group_members')
        .values({ connection_id: id, list, group_name, member })
        .execute();

    async function collectionOf({ id }: Connection): Promise<string> {
      const row = await library.db
        .selectFrom('connections')
        .select('collection_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.collection_id;
    }
  });

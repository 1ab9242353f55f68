import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { newId } from '../util.ts';
import { emit, trim } from './store.ts';
import type { OutboxEvent } from './types.ts';

const DAYS = 24 * 3600 * 1000;
const NOW = Date.UTC(2026, 5, 1);

for (const database of DATABASES) {
  describe(`outbox on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    const ordered = () => test.db.selectFrom('events').selectAll().orderBy('seq').execute();
    const deletionOf = (readable_id: string): OutboxEvent => ({
      type: 'collection.deleted',
      organizationId: 'o',
      collectionId: 'c',
      connectionId: null,
      fields: {
        collection_id: 'c',
        collection_readable_id: readable_id,
        collection_name: 'Ünïcode \u0000 "quoted" \ud800',
      },
    });

    it('[EVT-09] stores many events in the order in which they are given', async () => {
      const names = Array.from({ length: 250 }, (_, i) => `n${i}`);
      await test.db.transaction().execute((tx) => emit(tx, ...names.map(deletionOf)));
      const rows = await ordered();
      const payloads = rows.map(({ payload }) => JSON.parse(payload));
      assert.deepEqual(
        payloads.map((payload) => payload.collection_readable_id),
        names,
      );
      assert.equal(new Set(rows.map(({ id }) => id)).size, 250);
      const [row] = rows;
      assert.equal(
        row?.payload,
        JSON.stringify({
          event_type: 'collection.deleted',
          timestamp: new Date(row?.created_at ?? 0).toISOString(),
          organization_id: 'o',
          ...deletionOf('n0').fields,
        }),
      );
    });

    it('[WHK-20] deletes events older than 30 days, the oldest first, 500 at a time', async () => {
      await test.db.deleteFrom('events').execute();
      const add = (count: number, created_at: number) =>
        test.db
          .insertInto('events')
          .values(
            Array.from({ length: count }, () => ({
              id: newId(),
              organization_id: 'o',
              collection_id: 'c',
              connection_id: null,
              event_type: 'collection.deleted',
              payload: '{}',
              created_at,
            })),
          )
          .execute();
      await add(1, NOW - 30 * DAYS);
      await add(1, NOW - 30 * DAYS - 1);
      await add(500, NOW - 40 * DAYS);
      const left = async () => (await ordered()).map(({ created_at }) => NOW - created_at);
      assert.equal(await trim(test.db, NOW), 500);
      assert.deepEqual(await left(), [30 * DAYS, 30 * DAYS + 1]);
      assert.equal(await trim(test.db, NOW), 1);
      assert.equal(await trim(test.db, NOW), 0);
      assert.deepEqual(await left(), [30 * DAYS]);
    });
  });
}

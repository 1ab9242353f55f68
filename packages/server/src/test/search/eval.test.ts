import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JudgedDocument } from '../../eval/judged.ts';
import { collectionsNamed, documents } from '../../eval/store.ts';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';

for (const engine of ENGINES.filter(({ index }) => index !== 'exact')) {
  describe(`the data that an evaluation reads, on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let connection: Connection;
    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      connection = await library.addConnection(collection);
    });
    after(() => library.close());

    const all = async () => {
      const place = { organizationId: library.organizationId, collectionId: collection };
      const found: JudgedDocument[] = [];
      for await (const page of documents(library.db, place)) found.push(...page);
      return found.toSorted((a, b) => a.id.localeCompare(b.id));
    };

    it('an evaluation reads every entity that is not deleted, with the text of its chunks in order, over many pages', async () => {
      const long = Array.from({ length: 900 }, (_, i) => `Sentence ${i} of a long text.`).join(' ');
      const many = Array.from({ length: 520 }, (_, i) => ({
        id: `d${i}`,
        name: 'N',
        text: `t${i}`,
      }));
      await library.put(collection, connection, [{ id: 'a', name: 'A', text: long }, ...many]);
      const gone = await library.addConnection(collection);
      await library.put(collection, gone, [{ id: 'gone', text: 'x' }]);
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', gone.id)
        .execute();

      const found = await all();
      assert.equal(found.length, 521);
      assert.deepEqual([found[0]?.id, found[0]?.title], ['a', 'A']);
      assert.equal(found[0]?.text.replaceAll(/\s+/g, ' '), long);
      assert.ok(found.every(({ id, text }) => id === 'a' || text === id.replace('d', 't')));
    });

    it('a collection is found by its name, with its organization', async () => {
      assert.deepEqual(await collectionsNamed(library.db, collection), [
        { collectionId: collection, organizationId: library.organizationId },
      ]);
      assert.deepEqual(await collectionsNamed(library.db, 'nothing'), []);
    });
  });
}

/**
 * A collection says which fields a filter may name: all that its entities have, but none that only other
 * persons may see.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { githubCode } from '../../sources/catalog/github-code.ts';
import { chunked } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';

const BOB = { 'x-principals': 'user:bob@example.org' };

for (const database of DATABASES) {
  describe(`the fields of a collection on ${database.name}`, () => {
    let quarry: TestQuarry;
    let connection: string;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
      ({ id: connection } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Pushed',
        short_name: 'push',
        readable_collection_id: 'notes',
      }));
    });
    after(() => quarry.close());

    async function push(entities: readonly object[], removed: readonly string[] = []) {
      await quarry.ok('POST', `/v1/source-connections/${connection}/entities`, {
        entities: entities.map((entity) => ({ name: 'Note', text: 'A note.', ...entity })),
        delete: removed,
      });
      assert.equal((await quarry.settled(connection)).status, 'completed');
    }
    const fields = async (headers?: Record<string, string>): Promise<string[]> => {
      const about = await quarry.ok('GET', '/v1/collections/notes/contents', undefined, headers);
      return about.metadata_fields;
    };
    const named = (names: readonly string[]) => names.map((name) => `metadata.${name}`).toSorted();

    it('[FIL-07] every field is named, however many entities there are and how few have it', async () => {
      const many = Array.from({ length: 150 }, (_, i) => `f${i}`);
      await push([
        { entity_id: 'rare', metadata: { rare: null } },
        ...many.map((name) => ({ entity_id: name, metadata: { [name]: 1 } })),
        ...many.map((name) => ({ entity_id: `plain ${name}` })),
      ]);
      assert.deepEqual(await fields(), named([...many, 'rare']));
      // A filter knows each of these fields.
      const filter = { must: [{ key: 'metadata.f149', match: { value: 1 } }] };
      assert.deepEqual(await quarry.find('notes', 'note', { filter }), ['f149__chunk_0']);
      await push([{ entity_id: 'rare', metadata: { common: 1 } }], many.slice(1));
      assert.deepEqual(await fields(), named(['f0', 'common']));
    });

    it('[ENT-25] a person is told of no field that only others may see', async () => {
      const of = (user: string) => ({ viewers: [`user:${user}@example.org`], is_public: false });
      await push([
        { entity_id: 'open', metadata: { open: 1 }, access: { ...of('ann'), is_public: true } },
        { entity_id: 'anns', metadata: { hers: 1 }, access: of('ann') },
        { entity_id: 'bobs', metadata: { his: 1 }, access: of('bob') },
      ]);
      assert.deepEqual(await fields(), named(['common', 'f0', 'hers', 'his', 'open']));
      assert.deepEqual(await fields(BOB), named(['common', 'f0', 'his', 'open']));
      // The record that was open to all no longer is, and the other way round.
      await push([
        { entity_id: 'open', metadata: { open: 1 }, access: of('ann') },
        { entity_id: 'anns', metadata: { hers: 1 } },
      ]);
      assert.deepEqual(await fields(BOB), named(['common', 'f0', 'hers', 'his']));
    });

    it('[ENT-25] [FIL-07] a person is told the fields of the latest 50 restricted records of each connection, and can filter by all of them', async () => {
      const his = { viewers: ['user:bob@example.org'], is_public: false };
      const only = (entity_id: string) => ({
        entity_id,
        metadata: { [entity_id]: 1 },
        access: his,
      });
      await push([only('oldest')]);
      await push(Array.from({ length: 49 }, (_, i) => only(`later${i}`)));
      assert.ok((await fields(BOB)).includes('metadata.oldest'));
      await push([only('latest')]);
      const told = await fields(BOB);
      assert.ok(told.includes('metadata.latest') && told.includes('metadata.later0'));
      assert.ok(!told.includes('metadata.oldest'));
      const filter = { must: [{ key: 'metadata.oldest', match: { value: 1 } }] };
      assert.deepEqual(await quarry.find('notes', 'note', { filter }, BOB), ['oldest__chunk_0']);
    });

    it('[ENT-25] a person is told them in a collection of very many connections', async () => {
      const row = await quarry.db
        .selectFrom('connections')
        .selectAll()
        .where('id', '=', connection)
        .executeTakeFirstOrThrow();
      const more = Array.from({ length: 600 }, (_, i) => ({
        ...row,
        ...{ id: `c${i}`, sync_id: `s${i}`, config: '{}', transformers: '[]', cursor: null },
      }));
      const counts = more.map(({ id }) => ({
        ...{ connection_id: id, entity_type: 'Note', field: 'hidden', count: 1, open: 0 },
      }));
      for (const some of chunked(more, 20))
        await quarry.db.insertInto('connections').values(some).execute();
      await quarry.db.insertInto('entity_fields').values(counts).execute();
      assert.ok((await fields(BOB)).includes('metadata.latest'));
      await quarry.db.deleteFrom('connections').where('id', 'like', 'c%').execute();
    });

    it('what is searched live has the fields that its source declares, for keys alone', async () => {
      const source = githubCode.shortName;
      await quarry.db
        .updateTable('connections')
        .set({ short_name: source })
        .where('id', '=', connection)
        .execute();
      const declared = Object.keys(githubCode.entities.GitHubCodeFile!.shape);
      assert.ok(declared.length > 0);
      const all = await fields();
      for (const name of named(declared)) assert.ok(all.includes(name), name);
      assert.ok(!(await fields(BOB)).some((name) => named(declared).includes(name)));
    });

    it('those of a connection that is deleted are gone at once', async () => {
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      assert.deepEqual(await fields(), []);
    });
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Insertable } from 'kysely';
import { isCurrentExtract } from '../../documents/kinds.ts';
import {
  insertCollection,
  insertConnection,
  insertEntity,
  insertOrganization,
} from '../../test/api/rows.ts';
import { DATABASES } from '../../test/databases.ts';
import { openBefore } from '../../test/older-database.ts';
import { newId } from '../../util.ts';
import { migrate } from '../migrate.ts';
import type { Schema } from '../schema.ts';

/**
 * These are names of records, with the version before and after, and whether the text is extracted again. Null stands for
 * a kind whose converter may have got a newer version since.
 */
const CASES = [
  ['notes.md', 'extract-4', 'extract-4', { isReadAgain: false }],
  ['Issue about a.pdf here', 'extract-4', 'extract-4', { isReadAgain: false }],
  ['Guide.PDF', 'extract-4', 'pdf-1', null],
  ['page.xhtml', 'extract-4', 'html-1', null],
  ['letter.docx', 'extract-4', 'docx-1', null],
  ['film.srt', 'extract-4', 'subtitles-0', { isReadAgain: true }],
  ['feed.xml', 'extract-4', 'xml-0', { isReadAgain: true }],
  ['old.pdf', 'extract-3', 'extract-3', { isReadAgain: true }],
] as const;

for (const database of DATABASES)
  describe(`the versions of older records on ${database.name}`, () => {
    it('are those of the kinds of their names, and only what is read differently is read again', async (t) => {
      const test = await openBefore(database, '0052');
      t.after(() => test.close());
      const organization_id = newId();
      const collection = { id: newId(), organization_id };
      await insertOrganization(test.db, organization_id);
      await insertCollection(test.db, collection);
      const connection_id = await insertConnection(test.db, collection, { name: 'Folder' });
      const owner = { organization_id, collection_id: collection.id, connection_id };
      for (const [name, extract_version] of CASES)
        await insertEntity(test.db, owner, { name, extract_version });
      const { number } = await test.db
        .insertInto('indexes')
        .values({ collection_id: collection.id, version: 0, next_chunk: 4, chunks: 2, terms: 2 })
        .returning('number')
        .executeTakeFirstOrThrow();
      for (const page of [3, null])
        await test.db
          .insertInto('chunks')
          .values({
            ...{ connection_id, entity: newId(), position: 0, text_hash: '', length: 1 },
            ...{ n: number * 2 ** 32 + (page ?? 1), heading: null, page, line: 1 },
          } as Insertable<Schema['chunks']>)
          .execute();
      await migrate(test.db, test.kind);
      const places = await test.db.selectFrom('chunks').select('place').orderBy('n').execute();
      assert.deepEqual(
        places.map(({ place }) => place),
        [null, 'page 3'],
      );
      const rows = await test.db
        .selectFrom('entities')
        .select(['name', 'extract_version'])
        .execute();
      const versions = new Map(rows.map((row) => [row.name, row.extract_version]));
      for (const [name, , version, current] of CASES) {
        assert.equal(versions.get(name), version, name);
        if (current) assert.equal(!isCurrentExtract(version), current.isReadAgain, name);
      }
    });
  });

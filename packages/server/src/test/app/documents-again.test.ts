/**
 * Tests that no document is parsed twice. The stored text of a document is changed in the database, so a record whose
 * text was taken from there, and not from the file, has that text.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { strToU8 } from 'fflate';
import { compress, decompress, entityHash } from '../../syncs/pipeline/record.ts';
import { DATABASES } from '../databases.ts';
import { zipFile } from '../documents/archive-file.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { pptxFile, shape, slideParagraph } from '../documents/pptx-file.ts';
import { connectFolder, makeFolder } from './folder.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

for (const database of DATABASES) {
  describe(`documents that were parsed before on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: ReturnType<typeof makeFolder>;
    let connection: string;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
    });
    beforeEach(async () => {
      folder = makeFolder();
      writeFileSync(
        join(folder.path, 'guide.pdf'),
        pdfFile([['The heron waits.'], ['The osprey hunts.']]),
      );
      writeFileSync(join(folder.path, 'page.html'), '<title>Weir</title><p>The heron waits.');
      const { id, job } = await connectFolder(quarry, folder.path, 'notes');
      connection = id;
      assert.equal(job.entities_inserted, 2);
      for (const id of ['guide.pdf', 'page.html']) await mark(id);
    });
    afterEach(async () => {
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      folder.remove();
    });
    after(() => quarry.close());

    const row = (id: string) =>
      quarry.db
        .selectFrom('entities')
        .selectAll()
        .where('connection_id', '=', connection)
        .where('entity_id', '=', id)
        .executeTakeFirstOrThrow();
    const set = async (id: string, columns: Record<string, unknown>) =>
      quarry.db
        .updateTable('entities')
        .set(columns)
        .where('id', '=', (await row(id)).id)
        .execute();
    const textOf = async (id: string) => decompress((await row(id)).raw).text;
    /** Changes the stored text, but not the file. */
    async function mark(id: string): Promise<void> {
      const { raw } = await row(id);
      const before = decompress(raw);
      const entity = { ...before, text: before.text.replace('heron', 'marker') };
      await set(id, { raw: compress(entity), hash: entityHash(entity) });
    }
    const isMarked = async (id: string) => (await textOf(id)).includes('marker');

    it('a copy and a move of a document take its text, with its pages', async () => {
      copyFileSync(join(folder.path, 'guide.pdf'), join(folder.path, 'copy.pdf'));
      renameSync(join(folder.path, 'page.html'), join(folder.path, 'moved.html'));
      const job = await quarry.sync(connection);
      assert.deepEqual([job.entities_inserted, job.entities_deleted], [2, 1]);
      assert.equal(await isMarked('copy.pdf'), true);
      assert.equal(await isMarked('moved.html'), true);
      const { chunks } = await quarry.ok('GET', '/v1/collections/notes/contents/read?id=copy.pdf');
      assert.equal(chunks[0].place, 'page 1');
      assert.deepEqual(decompress((await row('copy.pdf')).raw).pages?.length, 2);
    });

    it('a copy keeps the places in a document, and what the document says about itself', async () => {
      const slides = ['Weir', 'The heron waits.'].map((text) => shape(slideParagraph(text)));
      const core = strToU8(
        '<cp:coreProperties><dc:creator>Ada</dc:creator><dcterms:created>2025-03-03T09:00:00Z</dcterms:created></cp:coreProperties>',
      );
      writeFileSync(
        join(folder.path, 'deck.pptx'),
        pptxFile(slides, { 'docProps/core.xml': core }),
      );
      await quarry.sync(connection);
      await mark('deck.pptx');
      copyFileSync(join(folder.path, 'deck.pptx'), join(folder.path, 'copy.pptx'));
      await quarry.sync(connection);
      assert.equal(await isMarked('copy.pptx'), true);
      const { chunks } = await quarry.ok('GET', '/v1/collections/notes/contents/read?id=copy.pptx');
      assert.equal(chunks.at(-1).place, 'slide 2');
      const { author, created_at } = decompress((await row('copy.pptx')).raw).fields;
      assert.deepEqual([author, created_at], ['Ada', '2025-03-03T09:00:00Z']);
    });

    it('a copy of a document takes its text also after the document was saved with other bytes', async () => {
      writeFileSync(join(folder.path, 'osprey.html'), '<title>Weir</title><p>The osprey.');
      await quarry.sync(connection);
      const page = '<title>Weir</title><P>The osprey.';
      writeFileSync(join(folder.path, 'osprey.html'), page);
      assert.equal((await quarry.sync(connection)).entities_kept, 3);
      const entity = decompress((await row('osprey.html')).raw);
      await set('osprey.html', { raw: compress({ ...entity, text: 'Only the row has this.' }) });
      writeFileSync(join(folder.path, 'copy.html'), page);
      await quarry.sync(connection);
      assert.equal(await textOf('copy.html'), 'Only the row has this.');
    });

    it('a copy of a file with a part that cannot be read tells of this part again', async () => {
      mkdirSync(join(folder.path, 'sub'));
      const broken = { name: 'broken.pdf', content: '%PDF-rubbish' };
      for (const [path, failed] of [
        ['pack.zip', 1],
        ['sub/pack.zip', 1],
      ] as const) {
        writeFileSync(join(folder.path, path), zipFile([broken, { name: 'a.md', content: '# A' }]));
        const job = await quarry.sync(connection);
        assert.deepEqual([job.entities_inserted, job.entities_failed], [2, failed], path);
      }
    });

    it('a document with another content, or of another kind, is parsed', async () => {
      writeFileSync(join(folder.path, 'other.pdf'), pdfFile([['The heron flies.']]));
      copyFileSync(join(folder.path, 'page.html'), join(folder.path, 'page.txt'));
      copyFileSync(join(folder.path, 'page.html'), join(folder.path, 'page.pdf'));
      const job = await quarry.sync(connection);
      assert.match(await textOf('other.pdf'), /heron flies/);
      assert.match(await textOf('page.txt'), /<p>The heron/);
      assert.deepEqual([job.entities_inserted, job.entities_failed], [2, 1]);
    });

    it('a copy of a document whose text has its name takes the text only under this name', async () => {
      const path = (name: string) => join(folder.path, name);
      writeFileSync(path('one.zip'), zipFile([{ name: 'x.txt', content: 'The heron waits.' }]));
      writeFileSync(path('page.txt.gz'), gzipSync('<p>The heron waits.'));
      await quarry.sync(connection);
      await mark('page.txt.gz');
      mkdirSync(path('sub'));
      copyFileSync(path('one.zip'), path('two.zip'));
      for (const name of ['page.html.gz', 'page.mp4.gz', '.env.gz', 'sub/page.txt.gz'])
        copyFileSync(path('page.txt.gz'), path(name));
      const job = await quarry.sync(connection);
      assert.equal(await textOf('two.zip'), '# two.zip\n\n- x.txt');
      assert.equal(await textOf('page.html.gz'), 'The heron waits.');
      assert.equal(await isMarked('sub/page.txt.gz'), true);
      assert.equal(job.entities_inserted, 4);
    });

    it('a document that was saved again without a change is not parsed', async () => {
      copyFileSync(join(folder.path, 'guide.pdf'), join(folder.path, 'saved'));
      renameSync(join(folder.path, 'saved'), join(folder.path, 'guide.pdf'));
      await quarry.sync(connection);
      assert.equal(await isMarked('guide.pdf'), true);
    });

    it('a new version of the splitter reads no file', async () => {
      // Without the hash, the text of a file that is read could only come from the file.
      for (const id of ['guide.pdf', 'page.html'])
        await set(id, { chunk_version: 'older', content_hash: null });
      const job = await quarry.sync(connection, '?force_full_sync=true');
      assert.deepEqual([job.entities_kept, job.entities_updated], [2, 0]);
      for (const id of ['guide.pdf', 'page.html']) {
        assert.equal(await isMarked(id), true);
        assert.notEqual((await row(id)).chunk_version, 'older');
      }
      const [first] = await quarry.find('notes', 'marker', { retrieval_strategy: 'keyword' });
      assert.ok(first);
    });

    it('a new version of a converter reads the documents of its kind again, and no others', async () => {
      const toExtract = async () => (await quarry.ok('GET', '/v1/system')).index.to_extract;
      assert.deepEqual(await toExtract(), []);
      await set('guide.pdf', { extract_version: 'pdf-0' });
      assert.deepEqual(await toExtract(), [{ kind: 'pdf', records: 1 }]);
      await quarry.sync(connection, '?force_full_sync=true');
      assert.deepEqual(await toExtract(), []);
      assert.equal(await isMarked('guide.pdf'), false);
      assert.equal(await isMarked('page.html'), true);
      assert.match((await row('guide.pdf')).extract_version, /^pdf-[1-9]/);
    });

    it('a stored record that cannot be read is asked of its source again', async () => {
      await set('guide.pdf', { chunk_version: 'older', raw: Buffer.from('rubbish') });
      await quarry.sync(connection, '?force_full_sync=true');
      assert.match(await textOf('guide.pdf'), /heron waits/);
    });
  });
}

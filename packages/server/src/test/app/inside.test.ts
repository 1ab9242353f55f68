/** Tests that what is inside of a file, such as the attachments of a mail, is found, and lives and dies with the file. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { DATABASES } from '../databases.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { connectFolder, makeFolder } from './folder.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

const PDF = pdfFile([['The first page.'], ['The bittern booms at night.']]);

/** The attachments have these names and contents. */
function mail(attachments: Readonly<Record<string, Uint8Array>>): string {
  const parts = Object.entries(attachments).map(
    ([name, content]) =>
      `Content-Type: application/octet-stream; name="${name}"\r\n` +
      `Content-Disposition: attachment; filename="${name}"\r\n` +
      `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}`,
  );
  const text = 'Content-Type: text/plain\r\n\r\nDear Ben, the osprey is back.';
  return (
    'From: Ann <ann@example.org>\r\nTo: Ben <ben@example.org>\r\nSubject: Birds of May\r\n' +
    'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
    `${[text, ...parts].map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`
  );
}

for (const database of DATABASES) {
  describe(`what is inside of files on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: ReturnType<typeof makeFolder>;
    let connection: string;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
    });
    beforeEach(() => {
      folder = makeFolder();
    });
    afterEach(async () => {
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      folder.remove();
    });
    after(() => quarry.close());

    const put = (name: string, content: string | Uint8Array) => folder.put(name, content);
    async function connect() {
      const { id, job } = await connectFolder(quarry, folder.path, 'notes');
      connection = id;
      return job;
    }
    async function first(query: string) {
      const { results } = await quarry.ok('POST', '/v1/collections/notes/search', {
        query,
        limit: 1,
        retrieval_strategy: 'keyword',
        expand_query: false,
      });
      return results[0];
    }
    const names = async (): Promise<string[]> => {
      const entities = await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`);
      return entities.map(({ entity_id }: { entity_id: string }) => entity_id).sort();
    };

    it('an attachment is found on its page, below its mail, and so is the mail', async () => {
      put(
        'may.eml',
        mail({ 'night.pdf': PDF, 'pack.zip': zipSync({ 'a/b.md': strToU8('# Coot') }) }),
      );
      const job = await connect();
      assert.deepEqual([job.entities_inserted, job.entities_failed], [4, 0]);
      assert.deepEqual(await names(), [
        'may.eml',
        'may.eml!/night.pdf',
        'may.eml!/pack.zip',
        'may.eml!/pack.zip!/a/b.md',
      ]);
      const bittern = await first('bittern booms');
      assert.deepEqual(
        [bittern.metadata.name, bittern.metadata.place, bittern.metadata.path_inside],
        ['night.pdf', 'page 2', 'night.pdf'],
      );
      assert.deepEqual(bittern.breadcrumbs.at(-1), 'may.eml');
      const osprey = await first('osprey back');
      assert.deepEqual(
        [osprey.metadata.name, osprey.metadata.title, osprey.metadata.author],
        ['may.eml', 'Birds of May', 'Ann <ann@example.org>'],
      );
      assert.equal((await first('Coot')).metadata.name, 'b.md');
    });

    it('a second sync writes nothing, a change changes what it concerns, and a deletion deletes all', async () => {
      const night = { 'night.pdf': PDF };
      put('may.eml', mail({ ...night, 'old.md': strToU8('The old coot.') }));
      await connect();
      const again = await quarry.sync(connection, '?force_full_sync=true');
      assert.deepEqual(
        [
          again.entities_inserted,
          again.entities_updated,
          again.entities_deleted,
          again.entities_kept,
        ],
        [0, 0, 0, 3],
      );
      const chunksOf = (id: string) =>
        quarry.db
          .selectFrom('chunks')
          .innerJoin('entities', 'entities.id', 'chunks.entity')
          .select('chunks.n')
          .where('entities.entity_id', '=', id)
          .execute();
      const before = await chunksOf('may.eml!/night.pdf');
      put('may.eml', mail({ ...night, 'new.md': strToU8('The new coot.') }));
      const changed = await quarry.sync(connection);
      assert.deepEqual(
        [
          changed.entities_inserted,
          changed.entities_updated,
          changed.entities_deleted,
          changed.entities_kept,
        ],
        [1, 0, 1, 2],
      );
      assert.deepEqual(await chunksOf('may.eml!/night.pdf'), before);
      assert.deepEqual(await names(), ['may.eml', 'may.eml!/new.md', 'may.eml!/night.pdf']);
      assert.equal(await first('old coot').then((one) => one.metadata.name), 'new.md');
      unlinkSync(join(folder.path, 'may.eml'));
      const gone = await quarry.sync(connection);
      assert.equal(gone.entities_deleted, 3);
      assert.deepEqual(await names(), []);
      assert.equal(await first('bittern'), undefined);
    });

    it('a renamed mail keeps what is inside, under its new name', async () => {
      put('may.eml', mail({ 'night.pdf': PDF }));
      await connect();
      renameSync(join(folder.path, 'may.eml'), join(folder.path, 'june.eml'));
      await quarry.sync(connection);
      assert.deepEqual(await names(), ['june.eml', 'june.eml!/night.pdf']);
      const { metadata } = await first('bittern');
      assert.deepEqual([metadata.name, metadata.place], ['night.pdf', 'page 2']);
    });

    it('a document inside that cannot be read is listed with its path, and the others are found', async () => {
      const inside = {
        'broken.pdf': strToU8('%PDF-rubbish'),
        'photo.png': strToU8('\x89PNG'),
        'notes.md': strToU8('The grebe nests.'),
        'key.txt': strToU8('-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n'),
      };
      put('pack.zip', zipSync(inside));
      const job = await connect();
      assert.deepEqual(
        [job.entities_inserted, job.entities_failed, job.entities_skipped],
        [2, 1, 2],
      );
      assert.deepEqual(job.skipped_by_reason, {
        'left out as secrets': 1,
        'of a kind without text': 1,
      });
      const [failure] = await quarry.ok(
        'GET',
        `/v1/source-connections/${connection}/jobs/${job.id}/failures`,
      );
      assert.equal(failure.entity_id, 'pack.zip!/broken.pdf');
      assert.equal((await first('grebe nests')).metadata.name, 'notes.md');
    });

    it('has the fields of the file, except for those that describe the file itself', async () => {
      put('pack.zip', zipSync({ 'tern.md': strToU8('The tern dives.') }));
      await connect();
      const { metadata } = await first('tern dives');
      assert.deepEqual(
        [metadata.path, metadata.path_inside, metadata.extension, metadata.size],
        ['pack.zip', 'tern.md', undefined, undefined],
      );
    });

    it('waits for a new converter with its file, which counts once', async () => {
      put('pack.zip', zipSync({ 'tern.md': strToU8('The tern dives.') }));
      await connect();
      await quarry.db.updateTable('entities').set({ extract_version: 'zip-0' }).execute();
      const { index } = await quarry.ok('GET', '/v1/system');
      assert.deepEqual(index.to_extract, [{ kind: 'zip', records: 1 }]);
    });

    it('has the times of the file, also after the file was touched and split again', async () => {
      put('pack.zip', zipSync({ 'tern.md': strToU8('The tern dives.') }));
      const touch = (year: number) =>
        utimesSync(join(folder.path, 'pack.zip'), new Date(0), new Date(Date.UTC(year, 1)));
      const years = async () => {
        const rows = await quarry.db
          .selectFrom('entities')
          .select('source_updated_at')
          .where('connection_id', '=', connection)
          .execute();
        return rows.map(({ source_updated_at }) =>
          new Date(Number(source_updated_at)).getFullYear(),
        );
      };
      touch(2020);
      await connect();
      touch(2024);
      await quarry.sync(connection);
      assert.deepEqual(await years(), [2024, 2024]);
      await quarry.db.updateTable('entities').set({ chunk_version: 'older' }).execute();
      await quarry.sync(connection, '?force_full_sync=true');
      assert.deepEqual(await years(), [2024, 2024]);
    });

    it('a damaged row of a document inside is made again by the next full sync', async () => {
      put('pack.zip', zipSync({ 'tern.md': strToU8('The tern dives.') }));
      await connect();
      const row = () =>
        quarry.db
          .selectFrom('entities')
          .select(['is_damaged', 'raw'])
          .where('entity_id', '=', 'pack.zip!/tern.md')
          .executeTakeFirstOrThrow();
      const { raw } = await row();
      await quarry.db
        .updateTable('entities')
        .set({ is_damaged: true, raw: Buffer.from('rubbish') })
        .where('entity_id', '=', 'pack.zip!/tern.md')
        .execute();
      await quarry.sync(connection, '?force_full_sync=true');
      const after = await row();
      assert.deepEqual([after.is_damaged, Buffer.from(after.raw)], [false, Buffer.from(raw)]);
    });

    it('a document inside with the path of another record is skipped, and the others are found', async () => {
      mkdirSync(join(folder.path, 'pack.zip!'));
      put('pack.zip!/a.md', 'The tern dives.');
      put('pack.zip', zipSync({ 'a.md': strToU8('# Coot'), 'b.md': strToU8('# Grebe') }));
      for (const sync of [connect, () => quarry.sync(connection)]) {
        await sync();
        put('pack.zip', zipSync({ 'a.md': strToU8('# Rail'), 'b.md': strToU8('# Grebe') }));
      }
      const [job] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
      const { entities_failed, skipped_by_reason } = await quarry.ok(
        'GET',
        `/v1/sync/jobs/${job.id}`,
      );
      assert.deepEqual(
        [entities_failed, skipped_by_reason],
        [0, { 'with the id of another record': 1 }],
      );
      assert.deepEqual(await names(), ['pack.zip', 'pack.zip!/a.md', 'pack.zip!/b.md']);
      assert.equal((await first('tern dives')).metadata.path, 'pack.zip!/a.md');
      assert.equal((await first('Grebe')).metadata.name, 'b.md');

      const again = await quarry.sync(connection);
      assert.deepEqual([again.entities_updated, again.entities_skipped], [0, 1]);
      unlinkSync(join(folder.path, 'pack.zip!', 'a.md'));
      // The first sync after that finds out that the other record is gone.
      await quarry.sync(connection);
      await quarry.sync(connection);
      assert.deepEqual(await names(), ['pack.zip', 'pack.zip!/a.md', 'pack.zip!/b.md']);
      assert.equal((await first('Rail')).metadata.name, 'a.md');
      assert.equal((await quarry.sync(connection)).entities_kept, 3);
    });

    it('is seen only by those who may see the file', async () => {
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Pushed',
        short_name: 'push',
        readable_collection_id: 'notes',
      });
      connection = id;
      const form = new FormData();
      const access = { viewers: ['user:ann'], is_public: false };
      form.set('entity', JSON.stringify({ entity_id: 'm', access }));
      form.set('file', new File([mail({ 'night.pdf': PDF })], 'may.eml'));
      const encoded = new Response(form);
      const url = `/v1/source-connections/${id}/entities?wait=true`;
      const body = Buffer.from(await encoded.arrayBuffer());
      const type = String(encoded.headers.get('content-type'));
      await quarry.ok('POST', url, body as never, { 'content-type': type });
      const seenBy = async (principal: string) =>
        (
          await quarry.ok(
            'POST',
            '/v1/collections/notes/search',
            { query: 'bittern osprey', limit: 10 },
            { 'x-principals': principal },
          )
        ).results.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
      assert.deepEqual(new Set(await seenBy('user:ann')), new Set(['may.eml', 'night.pdf']));
      assert.deepEqual(await seenBy('user:ben'), []);
    });
  });
}

/**
 * Tests documents in a folder through the whole service: their text is found, and those that are not read are reported.
 */
import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { versionOf } from '../../sources/files/entry.ts';
import { DATABASES } from '../databases.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

const ENCRYPTED = '-----BEGIN PGP MESSAGE-----\n\nhQEMA7Xy\n-----END PGP MESSAGE-----\n';

const LETTER = [
  'Dear heron,',
  ...Array<string>(30).fill('the river is high again and we wait for better days beside it.'),
  'The osprey has come back to the old pine.',
].join('\n\n');

for (const database of DATABASES) {
  describe(`documents in a folder on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: string;
    let connection: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'quarry-documents-'));
      quarry = await openTestQuarry(await database.open());
      const long = 'When the snow melts the heron waits at the weir for many days and weeks.';
      writeFileSync(
        join(folder, 'guide.pdf'),
        pdfFile([
          [
            { text: 'The Heron', size: 20, font: 'bold' },
            ...Array<string>(8).fill(long),
            '# Verify gamma function',
            'Plot',
            '----',
            ...Array<string>(8).fill(long),
          ],
        ]),
      );
      writeFileSync(join(folder, 'scan.pdf'), pdfFile([[]]));
      writeFileSync(join(folder, 'offer.p7m'), ENCRYPTED);
      writeFileSync(join(folder, 'saved.txt'), ENCRYPTED);
      writeFileSync(join(folder, 'letter.txt'), LETTER);
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
      ({ id: connection } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'notes',
        config: { path: folder },
      }));
    });
    after(async () => {
      await quarry.close();
      rmSync(folder, { recursive: true });
    });

    it('a passage says in which line of its record it begins, in results and in the record', async () => {
      await quarry.settled(connection);
      const { results } = await quarry.ok('POST', '/v1/collections/notes/search', {
        query: 'osprey',
        limit: 1,
      });
      const [{ md_content, metadata }] = results;
      const [first = ''] = md_content.split('\n', 1);
      const lines = LETTER.split('\n');
      assert.ok(metadata.line > 1 && md_content.includes('osprey'));
      assert.equal(lines[metadata.line - 1], first);
      assert.equal(lines.length - md_content.split('\n').length + 1, metadata.line);
      const { chunks } = await quarry.ok(
        'GET',
        '/v1/collections/notes/contents/read?id=letter.txt',
      );
      assert.deepEqual([chunks[0].line, chunks.at(-1).line], [1, metadata.line]);
    });

    it('[JOB-26] [JOB-49] documents that are not read are listed with a reason, details and a hint', async () => {
      const job = await quarry.settled(connection);
      assert.equal(job.entities_inserted, 2);
      assert.deepEqual(job.skipped_by_reason, {
        'of a kind that is not read yet': 2,
        'without text that can be read': 1,
      });
      const listed: { entity_id: string; detail: string; hint: string }[] = await quarry.ok(
        'GET',
        `/v1/source-connections/${connection}/jobs/${job.id}/skipped`,
      );
      const described = listed
        .map(({ entity_id, detail, hint }) => [entity_id, detail, hint])
        .sort();
      const save = 'Store the decoded content.';
      const ocr =
        'Install text recognition (docs/documents.md), or recognize its text with ocrmypdf: the next sync reads the result.';
      assert.deepEqual(described, [
        ['offer.p7m', 'encoded or encrypted (.p7m)', save],
        ['saved.txt', 'encoded or encrypted, going by its content', save],
        ['scan.pdf', 'the pages of the PDF are images', ocr],
      ]);
    });

    if (isSmokeEnough(database)) return;

    it('[SRH-16] a search shows a chunk of a PDF under the heading of the PDF, and takes no line of program text for a heading', async () => {
      const { results } = await quarry.ok('POST', '/v1/collections/notes/search', {
        query: 'heron weir gamma plot',
        generate_answer: false,
      });
      const headings = results.map(
        ({ metadata }: { metadata: { heading: string | null } }) => metadata.heading,
      );
      assert.deepEqual(new Set(headings), new Set(['The Heron', null]));
    });

    it('documents that an earlier version stored as raw content are deleted by the next full sync', async () => {
      const path = join(folder, 'letter.txt');
      writeFileSync(path, ENCRYPTED);
      // The row now looks as if an earlier version of Quarry had stored the file as it is at the
      // moment.
      const row = quarry.db
        .updateTable('entities')
        .where('connection_id', '=', connection)
        .where('entity_id', '=', 'letter.txt');
      const version = versionOf(lstatSync(path, { bigint: true }));
      await row.set({ version }).execute();
      assert.equal((await quarry.sync(connection)).entities_kept, 2);
      await row.set({ extract_version: 'extract-2' }).execute();
      const job = await quarry.sync(connection);
      assert.deepEqual([job.entities_kept, job.entities_deleted, job.entities_skipped], [1, 1, 4]);
      assert.deepEqual(await quarry.find('notes', 'letter', { retrieval_strategy: 'keyword' }), []);
    });
  });
}

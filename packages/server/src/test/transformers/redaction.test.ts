/**
 * These tests check that the text which redaction removes from a PDF can be found nowhere afterwards, even if it was
 * stored before.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import pino from 'pino';
import { decompress } from '../../syncs/pipeline/record.ts';
import { DATABASES } from '../databases.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { partRelation, pptxFile, shape, slideParagraph } from '../documents/pptx-file.ts';
import { isLeftToSqlite } from '../tier.ts';
import { until } from '../until.ts';
import { counts, openShop, type Shop } from './shop.ts';

const REDACTION = '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d02';
const HEADER = '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d01';
const CARD = '4111 1111 1111 1111';
const EMAIL = 'ann.heron@example.org';
/** These texts are too long to occur in times and ids by chance. */
const PLANTED = ['4111 1111', '1111 1111', '4111111111111111', 'ann.heron'];
const redaction = [{ transformer_id: REDACTION, config: {} }];

const invoice = pdfFile([
  ['Invoice of the weir', `Paid by ${EMAIL}`],
  ['Second page of the invoice', `Card number ${CARD} of the heron`],
  ['Third page', 'Thank you for the weir'],
]);

for (const database of DATABASES) {
  describe(`redaction on ${database.name}`, () => {
    const logged: string[] = [];
    let shop: Shop;
    let collection: string;
    let path: string;
    let made = 0;
    before(async () => {
      const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
      shop = await openShop(await database.open(), {}, log);
    });
    after(() => shop.close());
    beforeEach(async () => {
      collection = await shop.collection();
      path = join(shop.root, `files-${made++}`);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
      writeFileSync(join(path, 'invoice.pdf'), invoice);
      writeFileSync(join(path, 'other.md'), 'Otters pay in fish.');
    });
    const connect = (transformers: object[]) =>
      shop.connect(collection, transformers, {
        short_name: 'files',
        authentication: undefined,
        config: { path },
      });

    /**
     * Returns everything that the API shows of the collection, and everything that is stored, except for the raw
     * records.
     */
    async function everything(connection: string): Promise<string> {
      const said: unknown[] = [];
      for (const query of [CARD, `card number ${CARD}`, EMAIL, 'invoice of the weir', 'heron'])
        for (const retrieval_strategy of ['hybrid', 'neural', 'keyword'])
          said.push(
            (
              await shop.ok('POST', `/v1/collections/${collection}/search`, {
                query,
                retrieval_strategy,
                expand_query: false,
                generate_answer: true,
                limit: 100,
              })
            ).results,
          );
      const contents = `/v1/collections/${collection}/contents`;
      const { items } = await shop.ok('GET', `${contents}/list`);
      said.push(items, await shop.ok('GET', contents));
      for (const { id } of items)
        said.push(await shop.ok('GET', `${contents}/read?id=${encodeURIComponent(id)}`));
      for (const pattern of ['.', '[0-9]{4}', '@'])
        said.push((await shop.ok('POST', `${contents}/grep`, { pattern })).records);
      const entities = await shop.ok('GET', `/v1/entities?source_connection_id=${connection}`);
      said.push(entities);
      for (const { id } of entities) said.push(await shop.ok('GET', `/v1/entities/${id}`));
      for (const job of await shop.ok('GET', `/v1/source-connections/${connection}/jobs`))
        said.push(
          await shop.ok('GET', `/v1/sync/jobs/${job.id}`),
          await shop.failures(connection, job.id),
        );
      const rows = await shop.db.selectFrom('entities').selectAll().execute();
      for (const { raw: _, shown, ...row } of rows) said.push(row, shown && decompress(shown));
      said.push(
        await shop.db.selectFrom('chunk_bodies').select('text').execute(),
        await shop.db.selectFrom('chunks').select(['heading', 'place', 'text_hash']).execute(),
        await shop.db.selectFrom('events').select('payload').execute(),
        logged,
      );
      return JSON.stringify(said);
    }
    async function leaks(connection: string): Promise<string[]> {
      const all = await everything(connection);
      return PLANTED.filter((text) => all.includes(text));
    }

    it('[TRF-12] [JOB-41] removes the card number and the address of a PDF before any of its text is stored', async () => {
      const connection = await connect(redaction);
      assert.deepEqual(counts(await shop.sync(connection)), [2, 0, 0, 0, 0, 0]);
      assert.deepEqual(await leaks(connection), []);
      const texts = await shop.texts(collection);
      assert.match(texts['invoice.pdf']!, /Card number \[card number\] of the heron/);
      assert.match(texts['invoice.pdf']!, /Paid by \[e-mail address\]/);
      assert.equal(texts['other.md'], 'Otters pay in fish.');
    });

    it('removes them from the notes of slides, and from what is inside of mails and archives', async () => {
      const note = `<p:notes>${shape(slideParagraph(`Said: ${CARD}`), 'body')}</p:notes>`;
      const slides = pptxFile([shape(slideParagraph('Weirs'), 'title')], {
        'ppt/slides/_rels/slide1.xml.rels': strToU8(
          `<Relationships>${partRelation('n', 'notesSlide', '../notesSlides/notesSlide1.xml')}</Relationships>`,
        ),
        'ppt/notesSlides/notesSlide1.xml': strToU8(note),
      });
      const sheet = strToU8(`name,card\nHeron,${CARD}\n`);
      const mail = [
        `From: Ann <${EMAIL}>`,
        `Subject: Card ${CARD}`,
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        `Write to ${EMAIL}.`,
        '--b',
        'Content-Disposition: attachment; filename="paid.csv"',
        '',
        Buffer.from(sheet).toString(),
        '--b--',
      ].join('\r\n');
      writeFileSync(join(path, 'talk.pptx'), slides);
      writeFileSync(join(path, 'letter.eml'), mail);
      writeFileSync(join(path, 'pack.zip'), zipSync({ 'notes/card.csv': sheet }));
      const forwarded = `Content-Type: message/rfc822\r\n\r\n${mail}`;
      const all = `From: a@b.c\r\nSubject: Fwd\r\nContent-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n${forwarded}\r\n--o--\r\n`;
      writeFileSync(join(path, 'box.mbox'), `From a@b.c Mon Mar  3 10:00:00 2025\r\n${mail}`);
      writeFileSync(join(path, 'all.eml'), all);
      const connection = await connect(redaction);
      assert.deepEqual(counts(await shop.sync(connection)), [13, 0, 0, 0, 0, 0]);
      const texts = await shop.texts(collection);
      assert.match(texts['talk.pptx']!, /Said: \[card number\]/);
      assert.match(texts['letter.eml']!, /Write to \[e-mail address\]/);
      assert.match(texts['pack.zip!/notes/card.csv']!, /Heron,\[card number\]/);
      assert.match(texts['letter.eml!/paid.csv']!, /Heron,\[card number\]/);
      assert.deepEqual(await leaks(connection), []);
    });

    if (isLeftToSqlite(database)) return;

    it('[TRF-17] removes them from records that were stored before, and a reindex does not bring them back', async () => {
      const connection = await connect([]);
      await shop.sync(connection);
      assert.equal(
        (await shop.find(collection, CARD, { retrieval_strategy: 'keyword' })).length,
        1,
      );
      assert.deepEqual(await leaks(connection), ['4111 1111', '1111 1111', 'ann.heron']);
      await shop.use(connection, redaction);
      assert.deepEqual(counts(await shop.sync(connection)), [0, 1, 0, 1, 0, 0]);
      assert.deepEqual(await leaks(connection), []);
      const { id } = await shop.ok('POST', `/v1/collections/${collection}/reindex`);
      await until(async () => {
        const run = await shop.ok('GET', `/v1/collections/${collection}/maintenance/${id}`);
        return run.status === 'COMPLETED' ? run : undefined;
      });
      const report = await shop.ok('POST', `/v1/collections/${collection}/doctor`, {
        repair: true,
      });
      assert.deepEqual(report.problems, []);
      assert.deepEqual(await leaks(connection), []);
    });

    it('keeps the page numbers of a PDF, and works together with a header transformer', async () => {
      const header = { transformer_id: HEADER, config: { parts: ['name', 'type'] } };
      const connection = await connect([...redaction, header]);
      await shop.sync(connection);
      const { results } = await shop.ok('POST', `/v1/collections/${collection}/search`, {
        query: 'second page third page thank you weir',
        retrieval_strategy: 'keyword',
        limit: 10,
      });
      assert.ok(results.length > 0);
      for (const { metadata, md_content } of results) {
        assert.match(metadata.heading, /^invoice\.pdf > File|^other\.md > File/);
        assert.ok(!md_content.includes('invoice.pdf > File'));
        if (metadata.name === 'invoice.pdf') assert.equal(typeof metadata.page, 'number');
      }
      assert.deepEqual(await leaks(connection), []);
      assert.deepEqual(
        (await shop.find(collection, 'invoice.pdf File', { retrieval_strategy: 'keyword' }))
          .length > 0,
        true,
      );
      await shop.use(connection, redaction);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 2, 0, 0, 0, 0]);
    });
  });
}

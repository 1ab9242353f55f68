/** Tests pushes that come as a form with a file. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import type { Answer } from '../inject.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

type Parts = Readonly<Record<string, string | Blob | File>>;

for (const database of DATABASES) {
  describe(`files that are pushed on ${database.name}`, () => {
    let quarry: TestQuarry;
    let entities: string;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Pushed',
        short_name: 'push',
        readable_collection_id: 'notes',
      });
      entities = `/v1/source-connections/${id}/entities`;
    });
    after(() => quarry.close());

    async function push(parts: Parts, headers: Record<string, string> = {}): Promise<Answer> {
      const form = new FormData();
      for (const [name, value] of Object.entries(parts)) form.set(name, value);
      const encoded = new Response(form);
      const type = String(encoded.headers.get('content-type'));
      const body = Buffer.from(await encoded.arrayBuffer());
      return send(body, { 'content-type': type, ...headers });
    }
    const send = (body: Buffer, headers: Record<string, string>) =>
      quarry.call('POST', `${entities}?wait=true`, body, headers);
    const pdf = (text: string, name = 'guide.pdf') => new File([pdfFile([[text]])], name);
    const html = (text: string, name = 'page.html') => new File([`<p>${text}`], name);
    const found = async (words: string) =>
      (await quarry.find('notes', words, { retrieval_strategy: 'keyword' })) as string[];
    const refuses = async (parts: Parts, status: number, message: RegExp) => {
      const answer = await push(parts);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.match(JSON.stringify(answer.body), message);
    };

    it('the text of a file is found under the name of the file, with its page', async () => {
      const { status, body } = await push({ file: pdf('The heron waits at the weir.') });
      assert.deepEqual([status, body.status, body.entities_inserted], [200, 'COMPLETED', 1]);
      const { results } = await quarry.ok('POST', '/v1/collections/notes/search', {
        query: 'heron weir',
      });
      const [{ metadata }] = results;
      assert.deepEqual([metadata.name, metadata.place], ['guide.pdf', 'page 1']);
      const downloads = join(quarry.dir, 'downloads');
      assert.deepEqual(
        readdirSync(downloads).flatMap((one) => readdirSync(join(downloads, one))),
        [],
        'files that are left',
      );
    });

    it('a record gets no fields of another record with the same file', async () => {
      const shared = '<title>Grebes</title><p>The grebe carries its young.';
      const about = { title: 'Secret', author: 'Ann Secret', language: 'sv' };
      const ann = { viewers: ['user:ann'], is_public: false };
      const entity = (id: string, more: object) =>
        JSON.stringify({ entity_id: id, name: id, entity_type: 'Page', ...more });
      await push({
        entity: entity('a', { metadata: about, access: ann }),
        file: new File([shared], 'page.html'),
      });
      await push({
        entity: entity('b', { metadata: { language: null } }),
        file: new File([shared], 'page.html'),
      });
      const { results } = await quarry.ok(
        'POST',
        '/v1/collections/notes/search',
        { query: 'grebe young' },
        { 'x-principals': 'user:ben' },
      );
      const [{ metadata }] = results;
      assert.deepEqual(
        [metadata.name, metadata.title, metadata.author, metadata.language],
        ['b', undefined, undefined, null],
      );
    });

    it('a document of which nobody can be asked again does not wait for a new converter', async () => {
      await push({ file: pdf('The heron waits.') });
      await quarry.db.updateTable('entities').set({ extract_version: 'pdf-0' }).execute();
      assert.deepEqual((await quarry.ok('GET', '/v1/system')).index.to_extract, []);
    });

    it('a value that the source leaves open comes from the document', async () => {
      const metadata = { language: null };
      await push({
        entity: JSON.stringify({ entity_id: 'c', name: 'c', metadata }),
        file: html(
          'Der Haubentaucher trägt seine Jungen auf dem Rücken und taucht mit ihnen nach kleinen Fischen, die er im klaren Wasser des Sees findet. '.repeat(
            8,
          ),
        ),
      });
      const { results } = await quarry.ok('POST', '/v1/collections/notes/search', {
        query: 'Haubentaucher',
        limit: 1,
      });
      assert.equal(results[0].metadata.language, 'de');
    });

    it('the entity has the id, the name and the fields that the form gives', async () => {
      const entity = {
        entity_id: 'osprey-1',
        name: 'The osprey',
        entity_type: 'Bird',
        metadata: { colour: 'brown' },
        access: { viewers: ['user:ann'], is_public: false },
      };
      const answer = await push({
        entity: JSON.stringify(entity),
        file: html('An osprey hunts over the lagoon.'),
      });
      assert.equal(answer.body.entities_inserted, 1);
      const { results } = await quarry.ok('POST', '/v1/collections/notes/search', {
        query: 'osprey lagoon',
        limit: 1,
      });
      const [{ metadata, md_content }] = results;
      assert.match(md_content, /An osprey hunts/);
      assert.deepEqual(
        [metadata.name, metadata.entity_type, metadata.colour],
        ['The osprey', 'Bird', 'brown'],
      );
      const own = await quarry.ok('GET', '/v1/collections/notes/contents/read?id=osprey-1');
      assert.equal(own.name, 'The osprey');
    });

    it('[PSH-15] the same key with another file is refused, and with the same file is the same push', async () => {
      const key = { 'idempotency-key': 'once' };
      const first = await push({ file: html('A coot dives.', 'coot.html') }, key);
      const again = await push({ file: html('A coot dives.', 'coot.html') }, key);
      assert.equal(again.body.id, first.body.id);
      const other = await push({ file: html('A coot swims.', 'coot.html') }, key);
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
      assert.equal((await found('coot swims')).length, 1);
    });

    it('a file that cannot be read is a failure of its job, which says why', async () => {
      const { body } = await push({ file: new File(['%PDF-rubbish'], 'broken.pdf') });
      assert.deepEqual([body.status, body.entities_failed], ['COMPLETED', 1]);
      const picture = await push({ file: new File(['GIF89a'], 'a.gif') });
      const job = await quarry.ok('GET', `/v1/sync/jobs/${picture.body.id}`);
      assert.deepEqual(job.skipped_by_reason, { 'of a kind without text': 1 });
    });

    it('a form that is wrong is refused, and changes nothing', async () => {
      const file = html('A bittern booms.', 'bittern.html');
      await refuses({}, 422, /the form has no file: send it as the part file/);
      await refuses({ file, entity: new File(['{"colour":"a"}'], 'e.json') }, 422, /'colour'/);
      await refuses({ file: '<p>a' }, 422, /the file has no name/);
      await refuses({ file: html('a', '') }, 422, /the file has no name/);
      await refuses({ file, more: 'x' }, 422, /the form has no part 'more'/);
      const parts = (name: string, disposition: string) =>
        Buffer.from(
          `${`--b\r\nContent-Disposition: form-data; name="${name}"${disposition}\r\n\r\n{}\r\n`.repeat(2)}--b--\r\n`,
        );
      for (const [body, message] of [
        [parts('file', '; filename="a.html"'), /two parts file/],
        [parts('entity', ''), /two parts entity/],
        [parts('file', "; filename*=UTF-8''a%00.html"), /the name of the file may have/],
      ] as const) {
        const answer = await send(body, { 'content-type': 'multipart/form-data; boundary=b' });
        assert.deepEqual([answer.status, message.test(JSON.stringify(answer.body))], [422, true]);
      }
      await refuses({ file, entity: '{' }, 422, /the part entity is not valid JSON/);
      const latin = new File([Buffer.from('{"name":"Br\xfccke"}', 'latin1')], 'e.json');
      await refuses({ file, entity: latin }, 422, /"entity"\],"msg":"the part entity is not UTF-8/);
      await refuses({ file, entity: '[]' }, 422, /must be an object/);
      await refuses({ file, entity: '{"text":"a"}' }, 422, /the file has the text/);
      await refuses({ file, entity: '{"colour":"a"}' }, 422, /'colour' is not known/);
      await refuses({ file, entity: '{"name":"a\\u0000"}' }, 422, /without the character NUL/);
      await refuses(
        { file, entity: `{"name":"${'x'.repeat(1_100_000)}"}` },
        413,
        /the part entity may have 1048576 bytes/,
      );
      const large = new File([Buffer.alloc(25 * 1024 * 1024 + 1)], 'large.pdf');
      await refuses({ file: large }, 413, /a file may have 25 MB/);
      const type = { 'content-type': 'multipart/form-data; boundary=x' };
      const cut = await send(
        Buffer.from(
          '--x\r\ncontent-disposition: form-data; name="file"; filename="a.html"\r\n\r\nbit',
        ),
        type,
      );
      assert.equal(cut.status, 422, JSON.stringify(cut.body));
      const without = await send(Buffer.from('x'), { 'content-type': 'multipart/form-data' });
      assert.equal(without.status, 422, JSON.stringify(without.body));
      assert.deepEqual(await found('bittern'), []);
    });

    it('no other route takes a form', async () => {
      const type = { 'content-type': 'multipart/form-data; boundary=x' };
      const answer = await quarry.call('POST', '/v1/collections', Buffer.from('--x--'), type);
      assert.equal(answer.status, 415);
    });
  });
}

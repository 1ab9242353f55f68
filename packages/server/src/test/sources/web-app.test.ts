/** Copies a website of a real Apache HTTP Server through the whole service. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { pptxFile, shape, slideParagraph } from '../documents/pptx-file.ts';
import { skipWaits } from '../skip-waits.ts';
import { isLeftToSqlite } from '../tier.ts';
import { until } from '../until.ts';
import { type Apache, passwordFile, startApache, withoutApache } from './apache.ts';

const page = (title: string, words: string, ...links: string[]) =>
  `<!doctype html><title>${title}</title><nav>menu</nav><h2>${title}</h2><p>${words}</p><script>var hidden = "gone"</script>${links.map((link) => `<a href="${link}">x</a>`).join('')}`;

for (const database of DATABASES)
  describe(`a website of Apache on ${database.name}`, { skip: withoutApache }, () => {
    let apache: Apache;
    let quarry: TestQuarry;
    let waits: ReturnType<typeof skipWaits>;
    let connection: string;
    let made = 0;
    before(async () => {
      apache = await startApache(
        'Redirect permanent /old.html /moved.html\nHeader set X-Served-By test\n<Location /slow>\nHeader set Retry-After 3600\n</Location>',
      );
      quarry = await openTestQuarry(await database.open());
      waits = skipWaits(450);
    });
    after(async () => {
      waits.restore();
      await quarry.close();
      await apache.stop();
    });
    beforeEach(async () => {
      apache.clear();
      apache.write(
        'index.html',
        page('Home', 'weir', 'a.html', 'b.html', 'manual.pdf', 'old.html'),
      );
      apache.write('a.html', page('Heron', 'The heron waits.', 'deep/c.html'));
      apache.write('b.html', page('Kingfisher', 'The kingfisher dives.'));
      apache.write('deep/c.html', page('Coot', 'The coot swims.'));
      apache.write('moved.html', page('Moorhen', 'The moorhen hides.'));
      apache.write('manual.pdf', pdfFile([['The manual tells of grebes.']]));
      connection = await connect({});
    });

    const collectionOf = () => `site-${made}`;
    async function connect(more: object): Promise<string> {
      made++;
      const readable_id = collectionOf();
      await quarry.ok('POST', '/v1/collections', { name: 'Site', readable_id });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Site',
        short_name: 'web',
        readable_collection_id: readable_id,
        config: { start_urls: [apache.url] },
        sync_immediately: false,
        schedule: { cron: null, continuous: true },
        ...more,
      });
      await apache.requests();
      return id;
    }
    async function idsOf(): Promise<string[]> {
      const rows = await quarry.ok(
        'GET',
        `/v1/entities?source_connection_id=${connection}&limit=1000`,
      );
      return rows
        .map(({ entity_id }: { entity_id: string }) => entity_id.replace(apache.url, ''))
        .toSorted();
    }
    const sync = async (query = '') => {
      const job = await quarry.sync(connection, query);
      assert.equal(job.status, 'completed', job.error);
      const { entities_inserted, entities_updated, entities_deleted, entities_failed } = job;
      return [entities_inserted, entities_updated, entities_deleted, entities_failed];
    };
    const finds = async (word: string) => {
      const chunks = await quarry.find(collectionOf(), word, { limit: 1 });
      return chunks.map((chunk) => chunk.replace(apache.url, '').replace(/__chunk_.*/, ''));
    };
    const ALL = ['/', '/a.html', '/b.html', '/deep/c.html', '/manual.pdf', '/moved.html'];

    it('has the slides of a linked presentation, and an archive is not even asked for', async () => {
      const slides = ['Weirs', 'The bittern booms.'].map((text) => shape(slideParagraph(text)));
      apache.write('talk.pptx', pptxFile(slides));
      apache.write('all.zip', zipSync({ 'a.md': strToU8('An avocet.') }));
      apache.write('index.html', page('Home', 'weir', 'talk.pptx', 'all.zip'));
      assert.deepEqual(await sync(), [2, 0, 0, 0]);
      const { results } = await quarry.ok('POST', `/v1/collections/${collectionOf()}/search`, {
        query: 'bittern',
        limit: 1,
      });
      assert.deepEqual(
        [results[0].metadata.name, results[0].metadata.place],
        ['talk.pptx', 'slide 2'],
      );
      assert.ok((await apache.requests()).every((request) => !request.includes('all.zip')));
    });

    it('[AUTH-13] is copied without a sign-in; a second sync writes nothing and costs only conditional requests', async () => {
      assert.deepEqual(await sync(), [6, 0, 0, 0]);
      assert.deepEqual(await idsOf(), ALL);
      assert.deepEqual(await finds('heron'), ['/a.html']);
      assert.deepEqual(await finds('grebes'), ['/manual.pdf']);
      await apache.requests();
      for (const query of ['', '?force_full_sync=true']) {
        assert.deepEqual(await sync(query), [0, 0, 0, 0]);
        const requests = await apache.requests();
        assert.deepEqual(
          requests.toSorted(),
          ['301 /old.html', '404 /robots.txt', ...ALL.map((path) => `304 ${path}`)].toSorted(),
        );
      }
    });
    if (isLeftToSqlite(database)) return;

    it('copies edits, and deletes pages that are gone or no longer linked at the next sync', async () => {
      await sync();
      apache.write('b.html', page('Kingfisher', 'The kingfisher perches.'));
      assert.deepEqual(await sync(), [0, 1, 0, 0]);
      assert.deepEqual(await finds('perches'), ['/b.html']);
      apache.remove('b.html');
      assert.deepEqual(await sync(), [0, 0, 1, 0]);
      apache.write('a.html', page('Heron', 'The heron waits.'));
      assert.deepEqual(await sync(), [0, 1, 1, 0]);
      assert.deepEqual(await idsOf(), ['/', '/a.html', '/manual.pdf', '/moved.html']);
      apache.write('manual.pdf', pdfFile([['The manual tells of geese.']]));
      apache.write('index.html', page('Home', 'weir', 'a.html', 'manual.pdf', 'new.html'));
      apache.write('new.html', page('New', 'The new page.'));
      assert.deepEqual(await sync(), [1, 2, 1, 0]);
      assert.deepEqual(await finds('geese'), ['/manual.pdf']);
    });

    it('follows a page that moves, and reads it under its new address', async () => {
      await sync();
      apache.write('.htaccess', 'Redirect permanent /b.html /c2.html\n');
      apache.remove('b.html');
      apache.write('c2.html', page('Kingfisher', 'The kingfisher dives.'));
      assert.deepEqual(await sync(), [1, 0, 1, 0]);
      assert.deepEqual(await finds('kingfisher'), ['/c2.html']);
    });

    it('deletes nothing while the server fails, and waits for a confirmation of many deletions', async () => {
      const many = Array.from({ length: 80 }, (_, i) => `many/${i}.html`);
      for (const path of many) apache.write(path, page(path, 'one of many'));
      apache.write('index.html', page('Home', 'weir', ...many));
      await sync();
      apache.write('.htaccess', 'RedirectMatch 503 ^/.*\n');
      const failed = await quarry.sync(connection);
      assert.deepEqual([failed.status, failed.entities_deleted], ['failed', 0]);
      apache.write('.htaccess', '');
      apache.write('index.html', page('Home', 'nothing'));
      const job = await quarry.sync(connection);
      assert.deepEqual([job.status, job.entities_deleted], ['completed', 0]);
      assert.equal((await idsOf()).length, 81);
      apache.write('index.html', page('Home', 'weir', ...many));
      assert.deepEqual(await sync(), [0, 1, 0, 0]);
    });

    it('reads again what a failed extraction or a reset has left, although the server says that it is unchanged', async () => {
      await sync();
      await quarry.db
        .updateTable('entities')
        .set({ is_damaged: true })
        .where('connection_id', '=', connection)
        .execute();
      await apache.requests();
      await sync();
      const requests = await apache.requests();
      for (const path of ALL) assert.ok(requests.includes(`200 ${path}`), path);
      assert.deepEqual(await finds('heron'), ['/a.html']);
    });

    it('asks with a user name and a password, which the catalog does not ask for and no answer shows', async () => {
      apache.write(
        '.htaccess',
        `AuthType Basic\nAuthName x\nAuthUserFile ${apache.folder}/site/users\nRequire valid-user\n`,
      );
      apache.write('users', passwordFile('ann', 'a long secret'));
      const open = {
        config: { start_urls: [apache.url] },
        short_name: 'web',
        name: 'Site',
        readable_collection_id: collectionOf(),
      };
      const without = await quarry.call('POST', '/v1/source-connections', open);
      assert.equal(without.status, 422);
      assert.match(JSON.stringify(without.body), /asks for a user name and a password/);
      const credentials = { username: 'ann', password: 'a long secret' };
      connection = await connect({ authentication: { credentials } });
      assert.deepEqual(await sync(), [6, 0, 0, 0]);
      const shown = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.ok(!JSON.stringify(shown).includes(credentials.password));
      apache.write('users', passwordFile('ann', 'another secret'));
      const job = await quarry.sync(connection);
      assert.deepEqual([job.status, job.entities_deleted], ['failed', 0]);
      const { status } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.equal(status, 'NEEDS_REAUTH');
    });

    it('shows the first pages while the others are still read', async () => {
      apache.write('robots.txt', 'User-agent: *\nCrawl-delay: 0.02\n');
      const many = Array.from({ length: 150 }, (_, i) => `many/${i}.html`);
      for (const path of many) apache.write(path, page(path, 'one of many'));
      apache.write('index.html', page('Home', 'weir', ...many));
      await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      const early = await until(async () => {
        const ids = await idsOf();
        return ids.length > 0 ? ids.length : undefined;
      });
      const [job] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
      assert.ok(early < 151 && job.status === 'RUNNING', `${early} pages, ${job.status}`);
      await quarry.settled(connection);
      assert.equal((await idsOf()).length, 151);
    });
  });

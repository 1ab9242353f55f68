/**
 * Copies a website of a real Apache HTTP Server while its files are edited, moved and deleted at random, and while the
 * service is killed. After each round a search must find what the site has: no page is missing, and none is left over.
 * A soak copies a site of 2,000 pages.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type Server, startServer, TEST_KEY, tempDir, untilSynced } from '../e2e/process.ts';
import { type Apache, startApache, withoutApache } from '../sources/apache.ts';
import { newWord } from '../sources/cloud-company.ts';
import { until } from '../until.ts';
import { isSoak, playRounds, soakRandom } from './soak.ts';

const PAGES = isSoak ? 2000 : 80;
const ROUNDS = 1;
const KILLS = 3;
const EDITS = Math.ceil(PAGES / 40);
const FOLDERS = Math.ceil(PAGES / 50);
/** A sync of all pages may take this long on a busy machine. */
const SYNC_MS = isSoak ? 600_000 : 120_000;

describe('kill -9 while a website is copied and edited', { skip: withoutApache }, () => {
  const { below, pick } = soakRandom();
  /** Maps the paths of pages to the word that only this page has. */
  const pages = new Map<string, string>();
  const moved = new Map<string, string>();
  const checked = new Map<string, string>();
  let apache: Apache;
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let connection: string;
  let made = 0;

  before(async () => {
    apache = await startApache();
    dir = tempDir();
    for (let i = 0; i < PAGES; i++) add();
    writeIndexes();
    server = await start();
    await server.call('POST', '/v1/collections', { name: 'Website', readable_id: 'website' });
    const { status, body } = await server.call('POST', '/v1/source-connections', {
      name: 'The website',
      short_name: 'web',
      readable_collection_id: 'website',
      config: { start_urls: [apache.url] },
      sync_immediately: false,
      schedule: { cron: null, continuous: true },
    });
    assert.equal(status, 200, JSON.stringify(body));
    connection = body.id;
  });
  after(async () => {
    await server.kill();
    await apache.stop();
    dir.remove();
  });
  const start = () => startServer(dir.path, { env: { QUARRY_API_KEY: TEST_KEY } });

  function add(): void {
    const path = `/${made % FOLDERS}/page-${made++}.html`;
    writePage(path, newWord());
  }
  function writePage(path: string, word: string): void {
    pages.set(path, word);
    apache.write(path, `<title>Page ${word}</title><p>It says ${word}.</p><a href="/">Home</a>`);
  }
  function edit(): void {
    const path = pick([...pages.keys()]);
    const what = pick(['add', 'change', 'delete', 'move'] as const);
    if (what === 'add') add();
    if (what === 'change') writePage(path, newWord());
    if (what === 'add' || what === 'change') return;
    const word = must(pages.get(path));
    pages.delete(path);
    apache.remove(path);
    if (what === 'delete') return;
    const target = path.replace(/page-\d+/, `page-${made++}`);
    moved.set(path, target);
    writePage(target, word);
  }
  /** The indexes still link some pages that have moved or are gone. */
  function writeIndexes(): void {
    const known = [...pages.keys(), ...[...moved.keys()].slice(-20)];
    for (let folder = 0; folder < FOLDERS; folder++) {
      const links = known.filter((path) => path.startsWith(`/${folder}/`));
      const list = links.map((path) => `<a href="${path}">${path}</a>`).join('\n');
      apache.write(`/${folder}/index.html`, `<title>Folder ${folder}</title>${list}`);
    }
    const folders = Array.from({ length: FOLDERS }, (_, i) => `<a href="/${i}/">${i}</a>`);
    apache.write('/index.html', `<title>Home</title>${folders.join('')}`);
    const rules = [...moved].map(([from, to]) => `Redirect permanent ${from} ${to}\n`);
    apache.write('/.htaccess', rules.join(''));
  }
  function editSome(): void {
    for (let i = 0; i < EDITS; i++) edit();
    writeIndexes();
  }

  const run = () => server.call('POST', `/v1/source-connections/${connection}/run`);

  /** Kills the service after it has asked for some pages, and goes on with a new process. */
  async function killSoon(): Promise<void> {
    const from = apache.count();
    const asked = below(PAGES / 2);
    await Promise.race([
      until(() => apache.count() >= from + asked, 120_000),
      untilSynced(server, connection).catch(() => {}),
    ]);
    await server.kill();
    server = await start();
  }

  async function settle(): Promise<void> {
    const { status, error } = await untilSynced(server, connection, SYNC_MS);
    assert.equal(status, 'COMPLETED', error);
  }

  async function assertHeld(): Promise<void> {
    const folders = Array.from({ length: FOLDERS }, (_, i) => `/${i}/`);
    const expected = ['/', ...folders, ...pages.keys()].map((path) => apache.url + path);
    const ids: string[] = [];
    for (let skip = 0; skip === ids.length; skip += 1000) {
      const query = `source_connection_id=${connection}&limit=1000&skip=${skip}`;
      const { body } = await server.call('GET', `/v1/entities?${query}`);
      ids.push(...body.map((row: { entity_id: string }) => row.entity_id));
    }
    assert.deepEqual(ids.toSorted(), expected.toSorted());
    for (const [path, word] of pages) {
      if (checked.get(path) === word) continue;
      const asked = { query: word, limit: 3, generate_answer: false };
      const { body } = await server.call('POST', '/v1/collections/website/search', asked);
      const found: string[] = body.results.map((one: { entity_id: string }) => one.entity_id);
      assert.ok(
        found.some((chunk) => chunk.startsWith(`${apache.url}${path}__chunk_`)),
        `'${word}' finds ${found}, and not ${path}`,
      );
      checked.set(path, word);
    }
  }

  it('[JOB-43] the first sync ends with all pages', async () => {
    await run();
    for (let i = 0; i < KILLS; i++) await killSoon();
    await settle();
    await assertHeld();
  });

  it('[JOB-43] syncs of changes end with them, and a last sync finds nothing to do', async (t) => {
    const rounds = await playRounds(ROUNDS, async () => {
      editSome();
      await run();
      for (let i = 0; i < KILLS; i++) {
        await killSoon();
        editSome();
      }
      await settle();
      await run();
      await settle();
      await assertHeld();
    });
    t.diagnostic(`${rounds} rounds with ${pages.size} pages at the end`);
    await run();
    await settle();
    const [job] = (await server.call('GET', `/v1/source-connections/${connection}/jobs?limit=1`))
      .body;
    const { entities_inserted, entities_updated, entities_deleted } = job;
    assert.deepEqual([entities_inserted, entities_updated, entities_deleted], [0, 0, 0]);
  });
});

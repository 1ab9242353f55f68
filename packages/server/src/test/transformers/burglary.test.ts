/** In these tests, a transformer gets pushed entities and tries to break into the service that runs it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sha256 } from '../../model/hash.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { openShop, type Shop } from './shop.ts';

/** Maps each attempt to the end of the message with which it fails. */
const DEEDS: Record<string, RegExp> = {
  read: /it threw: No such built-in module: node:sqlite$/,
  plant: /it threw: No such built-in module: node:sqlite$/,
  copy: /it threw: No such built-in module: node:sqlite$/,
  backup: /it threw: No such built-in module: node:sqlite$/,
  socket: /it threw: listen EACCES: permission denied .*socket$/,
  compile: /it threw: v8.setFlagsFromString is not available/,
  slow: /it threw: os.setPriority is not available/,
  thread: /it threw: .*restricted.*--allow-worker/,
  write: /it threw: .*restricted.*--allow-fs-write/,
  talk: /its process gave an answer that cannot be used$/,
};
const KEY = `quarry_${'a'.repeat(43)}`;

describe('a transformer that attacks the service', () => {
  let shop: Shop;
  let loot: string;
  let collection: string;
  let priority: number;
  let files: readonly string[];
  let messages: Record<string, string>;
  before(async () => {
    loot = mkdtempSync(join(tmpdir(), 'quarry-loot-'));
    priority = getPriority();
    files = readdirSync('.');
    const database = await must(DATABASES.find(({ name }) => name === 'sqlite')).open();
    shop = await openShop(database);
    collection = await shop.collection();
    await push(await connect([]), { treasure: 'The heron hides the key.' });
    const id = await shop.transformer('burgle', { module_name: 'burglar.js' });
    const config = { database: database.url, hash: sha256(KEY), loot };
    const burglar = await connect([{ transformer_id: id, config }]);
    const names = [...Object.keys(DEEDS), 'nothing'];
    const job = await push(burglar, Object.fromEntries(names.map((name) => [name, 'unharmed'])));
    const failures: { entity_id: string; message: string }[] = await shop.failures(burglar, job.id);
    messages = Object.fromEntries(failures.map((one) => [one.entity_id, one.message]));
  });
  after(async () => {
    await shop.close();
    rmSync(loot, { recursive: true });
  });

  const connect = (transformers: object[]) =>
    shop.connect(collection, transformers, {
      short_name: 'push',
      authentication: undefined,
      schedule: undefined,
      sync_immediately: undefined,
    });
  async function push(connection: string, texts: Record<string, string>) {
    const entities = Object.entries(texts).map(([name, text]) => ({ entity_id: name, name, text }));
    await shop.ok('POST', `/v1/source-connections/${connection}/entities`, { entities });
    return shop.settled(connection);
  }

  for (const [deed, message] of Object.entries(DEEDS))
    it(`[TRF-18] fails to ${deed}, with a reason`, () =>
      assert.match(messages[deed] ?? '', message));

  it('[TRF-18] changes nothing except the entities that it was given', async () => {
    assert.deepEqual(await shop.texts(collection), {
      treasure: 'The heron hides the key.',
      nothing: 'unharmed',
    });
    assert.equal(
      (await shop.call('GET', '/v1/api-keys', undefined, { 'x-api-key': KEY })).status,
      401,
    );
    assert.deepEqual(readdirSync(loot), []);
    assert.deepEqual(readdirSync('.'), files);
    assert.equal(getPriority(), priority);
  });
});

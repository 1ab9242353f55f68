import assert from 'node:assert/strict';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { page, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { counts, openShop, type Shop } from './shop.ts';

/** These functions fail one call, but do not end the process. */
const CHEAP: Record<string, RegExp> = {
  throw: /it threw: no, \[card number\] is not for me/,
  throwUnstorable: /it threw: odd {2}\ufffd\.$/,
  throwNothing: /it threw: null/,
  throwTrap: /something that cannot be shown/,
  nothing: /it did not return a list/,
  text: /it did not return a list/,
  nulls: /without an entity_id/,
  numbers: /without an entity_id/,
  big: /it threw: .*BigInt/,
  cycle: /it threw: .*circular/,
  proxy: /it threw: a trap/,
  huge: /more than 32 million characters/,
  noName: /'name' of what it returned/,
  noText: /'text' of what it returned/,
  unknownField: /what it returned: Unrecognized key/,
  otherType: /of the type 'Elsewhere', which is not in its output definitions/,
  stranger: /'nobody', whose id does not begin with the id of an entity that it was given/,
  twice: /twice/,
  many: /more than 1000 entities from one/,
  script: /'url' of what it returned/,
  viewers: /'access.viewers.0' of what it returned/,
  readSecrets: /restricted/,
  climb: /restricted/,
  importOutside: /restricted|cannot find/i,
  write: /restricted/,
  run: /restricted/,
  killParent: /it threw: process.kill is not available/,
  thread: /restricted/,
  answer: /it threw: process.send is not a function/,
};
/** These functions take the whole time limit of a call. */
const ENDLESS: Record<string, RegExp> = {
  spin: /it took more than 2 s/,
  hang: /it took more than 2 s/,
};
/** These functions end their process. */
const COSTLY: Record<string, RegExp> = {
  exit: /its process ended with 0/,
  abort: /memory|SIGABRT/,
  later: /its process ended with 1/,
  forge: /its process gave an answer that cannot be used/,
  allocateBuffers: /it took more than 256 MB of memory/,
  allocateObjects: /it took more than 256 MB of memory/,
};

const MEMORY = { QUARRY_TRANSFORMERS_MEMORY_MB: '256' };

type Failure = { entity_id: string; stage: string; message: string; hint: string | null };
const deed = (name: string) => page(name, { text: `deed ${name}` });

/** Syncs a record for each of these functions, between two records that the transformer leaves unchanged. */
async function syncDeeds(
  shop: Shop,
  { collection, transformer }: { readonly collection: string; readonly transformer: string },
  deeds: readonly string[],
) {
  shop.world.items = whole(page('good'), ...deeds.map(deed), page('fine'));
  const connection = await shop.connect(collection, [{ transformer_id: transformer }]);
  const job = await shop.sync(connection);
  return { connection, job, failures: await shop.failures(connection, job.id) };
}

for (const database of DATABASES) {
  describe(`hostile transformers on ${database.name}`, () => {
    let shop: Shop;
    let transformer: string;
    let collection: string;
    before(async () => {
      shop = await openShop(await database.open(), MEMORY);
      writeFileSync(join(shop.root, 'outside.txt'), 'outside');
      writeFileSync(join(shop.root, 'outside.js'), 'export const outside = 1;');
      transformer = await shop.transformer('misbehave', { module_name: 'hostile.js' });
    });
    after(() => shop.close());
    beforeEach(async () => {
      collection = await shop.collection();
    });

    const sync = (...deeds: string[]) => syncDeeds(shop, { collection, transformer }, deeds);

    it('[TRF-16] [TRF-18] every failing call fails only its own entity, with a reason', async () => {
      const names = Object.keys(CHEAP);
      const { job, failures } = await sync(...names);
      assert.equal(job.status, 'completed');
      assert.deepEqual(counts(job), [2, 0, 0, 0, 0, names.length]);
      assert.deepEqual(failures.map((one: Failure) => one.entity_id).toSorted(), names.toSorted());
      for (const { entity_id, stage, message, hint } of failures as Failure[]) {
        assert.equal(stage, 'transform');
        assert.match(message, /^the transformer 'misbehave' failed: /);
        assert.match(message, CHEAP[entity_id]!, entity_id);
        assert.ok(hint);
      }
      assert.deepEqual(Object.keys(await shop.texts(collection)).toSorted(), ['fine', 'good']);
      assert.equal(existsSync(join(shop.folder, 'written.txt')), false);
    });

    if (isLeftToSqlite(database)) return;

    for (const names of [
      ['exit', 'later'],
      ['forge'],
      ['abort', 'allocateBuffers'],
      ['allocateObjects'],
    ])
      it(`[TRF-18] ${names.join(' and ')} fail only their own entities`, async () => {
        const { job, failures } = await sync(...names);
        assert.deepEqual([job.status, counts(job)], ['completed', [2, 0, 0, 0, 0, names.length]]);
        for (const { entity_id, message } of failures as Failure[])
          assert.match(message, COSTLY[entity_id]!, entity_id);
      });

    it('output of a transformer is discarded, and the environment of the process is empty', async () => {
      shop.world.items = whole(deed('print'), page('env', { text: 'deed environment' }));
      const connection = await shop.connect(collection, [{ transformer_id: transformer }]);
      assert.deepEqual(counts(await shop.sync(connection)), [2, 0, 0, 0, 0, 0]);
      assert.deepEqual(await shop.texts(collection), {
        print: 'deed print',
        env: 'environment: {}',
      });
    });

    it('a transformer is given up after it has ended its process four times', async () => {
      shop.world.items = whole(
        ...Array.from({ length: 20 }, (_, i) => page(`p${i}`, { text: 'deed exit' })),
      );
      const connection = await shop.connect(collection, [{ transformer_id: transformer }]);
      const job = await shop.sync(connection);
      assert.deepEqual(counts(job), [0, 0, 0, 0, 0, 20]);
      const messages = (await shop.failures(connection, job.id)).map(
        ({ message }: Failure) => message,
      );
      assert.equal(
        messages.filter((message: string) => /its process ended/.test(message)).length,
        4,
      );
      assert.equal(messages.filter((message: string) => /given up/.test(message)).length, 16);
    });

    it('[TRF-18] a failed entity is tried again in every sync, and none is lost', async () => {
      const { connection } = await sync('exit');
      const again = await shop.sync(connection);
      assert.deepEqual(counts(again), [0, 0, 0, 2, 0, 1]);
      await shop.use(connection, []);
      assert.deepEqual(counts(await shop.reprocess(connection)), [1, 0, 0, 2, 0, 0]);
      assert.equal((await shop.texts(collection)).exit, 'deed exit');
    });

    it('[TRF-18] an entity keeps its last good form while its new text fails', async () => {
      shop.world.items = whole(page('a'));
      const connection = await shop.connect(collection, [{ transformer_id: transformer }]);
      await shop.sync(connection);
      shop.world.items = whole(page('a', { text: 'deed exit' }));
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 0, 0, 1]);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a' });
      // Chunks that are made again are made of the last good form, too.
      await shop.reindex(collection);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a' });
      const byWords = { retrieval_strategy: 'keyword' };
      assert.deepEqual(await shop.find(collection, 'deed', byWords), []);
      shop.world.items = whole(page('a', { text: 'better' }));
      assert.deepEqual(counts(await shop.sync(connection)), [0, 1, 0, 0, 0, 0]);
      assert.deepEqual(await shop.texts(collection), { a: 'better' });
    });

    it('an entity that fails a new transformer is no longer shown', async () => {
      shop.world.items = whole(page('a', { text: 'deed exit' }));
      const connection = await shop.connect(collection);
      await shop.sync(connection);
      await shop.use(connection, [{ transformer_id: transformer }]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 0, 1, 0, 0, 1]);
      assert.deepEqual(await shop.texts(collection), {});
      assert.deepEqual(await shop.find(collection, 'deed'), []);
      const row = await shop.db
        .selectFrom('entities')
        .select(['name', 'url', 'metadata', 'hash', 'is_hidden', 'is_listed', 'shown'])
        .where('connection_id', '=', connection)
        .executeTakeFirstOrThrow();
      const nothing = { name: '', url: null, metadata: {}, hash: '', shown: null };
      assert.deepEqual({ ...row }, { ...nothing, is_hidden: true, is_listed: false });
    });

    it('a link to a file outside the folder cannot be read', async (t) => {
      symlinkSync(join(shop.root, 'outside.txt'), join(shop.folder, 'link.txt'));
      const { job, failures } = await sync('link');
      t.diagnostic(JSON.stringify(failures));
      assert.deepEqual(counts(job), [2, 0, 0, 0, 0, 1]);
    });
  });
}

describe('transformers without an end', () => {
  for (const [name, message] of Object.entries(ENDLESS))
    it(`[TRF-18] ${name} fails only its own entity`, async () => {
      const shop = await openShop(await must(DATABASES[0]).open(), {
        ...MEMORY,
        QUARRY_TRANSFORMERS_SECONDS: '2',
      });
      try {
        const transformer = await shop.transformer('misbehave', { module_name: 'hostile.js' });
        const collection = await shop.collection();
        const { job, failures } = await syncDeeds(shop, { collection, transformer }, [name]);
        assert.deepEqual([job.status, counts(job)], ['completed', [2, 0, 0, 0, 0, 1]]);
        assert.match(failures[0].message, message);
      } finally {
        await shop.close();
      }
    });
});

/**
 * Simulates random sources, transformers and interruptions. After each completed sync, a search must find the result of
 * the transformers, and the counters of all jobs must add up to the stored records.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { page, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { checkCounters } from '../random/counters.ts';
import { type Random, random } from '../random/random.ts';
import { isFull } from '../tier.ts';
import { become } from './modules/model.js';
import { openShop, type Shop } from './shop.ts';

const SEEDS = { sqlite: 2, postgres: isFull ? 2 : 0 } as const;
const JOBS = 14;
const IDS = Array.from({ length: 9 }, (_, i) => `p${i}`);
const WORDS = ['drop', 'split1', 'split3', 'split2 only', 'fail', 'split2 fail', 'plain', ''];

interface Rules {
  readonly word: string;
  readonly drops: boolean;
  readonly splits: boolean;
  readonly fails: boolean;
}

interface Model {
  /** Maps the ids of the records of the source to their texts. */
  readonly world: Map<string, string>;
  /** Maps the ids of the records that the last completed sync has read to their texts. */
  stored: ReadonlyMap<string, string>;
  rules: Rules | null;
  /** Maps each record to the texts that a search finds of it, and to whether it has passed the transformer. */
  shown: Map<
    string,
    { readonly texts: Readonly<Record<string, string>>; readonly passed: boolean }
  >;
}

for (const database of DATABASES.filter(({ name }) => SEEDS[name] > 0)) {
  describe(`transformers at random on ${database.name}`, () => {
    let shop: Shop;
    let transformer: string;
    before(async () => {
      shop = await openShop(await database.open());
      transformer = await shop.transformer('model', { module_name: 'model.js' });
    });
    after(() => shop.close());

    for (let seed = 1; seed <= SEEDS[database.name]; seed++)
      it(`[TRF-15] [TRF-16] [TRF-17] seed ${seed}`, () => play(random(seed)));

    async function play(chance: Random): Promise<void> {
      const model: Model = { world: new Map(), stored: new Map(), rules: null, shown: new Map() };
      const collection = await shop.collection();
      const connection = await shop.connect(collection);
      for (let i = 0; i < JOBS; i++) {
        change(model, chance);
        if (chance.next() < 0.5) await configure(model, chance, connection);
        if (chance.next() < 0.25) await broken(model, chance, connection);
        else if (chance.next() < 0.3) await stored(model, connection);
        else await synced(model, connection);
        const found = Object.assign({}, ...[...model.shown.values()].map(({ texts }) => texts));
        assert.deepEqual(await shop.texts(collection), found);
        await checkJobs(connection, Object.keys(found).length);
      }
      const { problems } = await shop.ok('POST', `/v1/collections/${collection}/doctor`, {});
      assert.deepEqual(problems, []);
    }

    function change({ world }: Model, chance: Random): void {
      for (let i = chance.below(4); i > 0; i--) {
        const id = chance.pick(IDS);
        if (chance.next() < 0.25) world.delete(id);
        else world.set(id, `${chance.pick(WORDS)} ${chance.below(100)}`.trim());
      }
    }

    async function configure(model: Model, chance: Random, connection: string): Promise<void> {
      const flag = () => chance.next() < 0.6;
      model.rules =
        chance.next() < 0.2
          ? null
          : {
              word: `w${chance.below(3)}`,
              drops: flag(),
              splits: flag(),
              fails: chance.next() < 0.5,
            };
      await use(model.rules, connection);
    }
    const use = (config: Rules | null, connection: string) =>
      shop.use(connection, config ? [{ transformer_id: transformer, config }] : []);

    async function synced(model: Model, connection: string): Promise<void> {
      shop.world.items = whole(...pages(model));
      const job = await shop.sync(connection);
      assert.equal(job.status, 'completed');
      // A sync first transforms the stored records. A new text that fails then leaves that result
      // shown.
      for (const [id, text] of model.stored) pass(model, id, text);
      model.stored = new Map(model.world);
      for (const id of model.shown.keys()) if (!model.world.has(id)) model.shown.delete(id);
      for (const [id, text] of model.world) pass(model, id, text);
      const failing = [...model.world.values()].filter((text) => fails(model, text)).length;
      assert.equal(job.entities_failed, failing);
      const dropped = [...model.world.values()].filter(
        (text) =>
          (model.rules?.drops && text.includes('drop')) ||
          (model.rules?.splits && text.includes('only')),
      );
      assert.equal(job.entities_skipped, dropped.length);
    }

    /** Transforms only the stored records, which are those that the last sync has read. */
    async function stored(model: Model, connection: string): Promise<void> {
      await synced(model, connection);
      const rules = model.rules && { ...model.rules, word: `${model.rules.word} again` };
      model.rules = rules;
      await use(rules, connection);
      shop.world.pulls = [];
      const job = await shop.reprocess(connection);
      assert.deepEqual([job.status, shop.world.pulls], ['completed', []]);
      for (const [id, text] of model.world) pass(model, id, text);
    }

    /** The source fails at some point. The next sync makes everything right, because its transformers do not fail. */
    async function broken(model: Model, chance: Random, connection: string): Promise<void> {
      const items = pages(model);
      const at = chance.below(items.length + 1);
      const breaks = () => {
        throw new SourceError('fatal', 'the world has broken');
      };
      shop.world.items = [...items.slice(0, at), breaks, ...items.slice(at)];
      assert.equal((await shop.sync(connection)).status, 'failed');
      if (model.rules) model.rules = { ...model.rules, fails: false };
      await use(model.rules, connection);
      await synced(model, connection);
    }

    const pages = ({ world }: Model) =>
      [...world].map(([id, text]) => page(id, { text, name: id }));

    const fails = ({ rules }: Model, text: string) =>
      Boolean(rules?.fails && text.includes('fail'));

    function pass(model: Model, id: string, text: string): void {
      const { rules, shown } = model;
      if (fails(model, text)) {
        if (!shown.get(id)?.passed) shown.delete(id);
        return;
      }
      const made = rules
        ? become({ entity_id: id, name: id, text }, rules)
        : [{ entity_id: id, text }];
      const texts = Object.fromEntries(
        made.map((one: { entity_id: string; text: string }) => [one.entity_id, one.text]),
      );
      // A dropped record is not shown, so none of its text may be stored.
      if (made.length === 0) shown.delete(id);
      else shown.set(id, { texts, passed: rules !== null });
    }

    async function checkJobs(connection: string, found: number): Promise<void> {
      const jobs = await shop.ok('GET', `/v1/source-connections/${connection}/jobs?limit=1000`);
      const details = await Promise.all(
        jobs.map(({ id }: { id: string }) => shop.ok('GET', `/v1/sync/jobs/${id}`)),
      );
      checkCounters(details, found);
      const { entities } = await shop.ok('GET', `/v1/source-connections/${connection}`);
      assert.equal(entities.total_entities, found);
    }
  });
}

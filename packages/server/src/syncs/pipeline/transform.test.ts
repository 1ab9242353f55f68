import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entity } from '../../model/entity.ts';
import { recipe, storedEntity } from '../../test/stored-entity.ts';
import { type Chain, createChain } from '../../transformers/chain.ts';
import { type RunStep, StepFailed } from '../../transformers/step.ts';
import type { Stale } from './compare.ts';
import type { Decision } from './decision.ts';
import type { StoredEntity } from './store.ts';
import { rowsOf, type StoredRelatives, transform } from './transform.ts';

const never = new AbortController().signal;
const page = (id: string, text = id): Entity => ({ id, type: 'Page', name: id, text, fields: {} });

const chainOf = (run: RunStep): Chain =>
  createChain(
    [{ id: 's', name: 'step', digest: 'd', accepts: () => true, outputDefinitions: ['Page'], run }],
    (type) => type,
    async () => {},
  );
const relatives = (made: Record<string, StoredEntity[]> = {}): StoredRelatives => {
  const rows = Object.values(made).flat();
  return {
    batchIds: new Set(Object.keys(made)),
    made: new Map(Object.entries(made)),
    recordOf: new Map(),
    findStored: async (ids) =>
      new Map(rows.filter((r) => ids.includes(r.entity_id)).map((r) => [r.entity_id, r])),
  };
};
const stale = (chain: Chain, stored?: StoredEntity): Stale => {
  const chainRecipe = chain.recipeOf('Page');
  const of = recipe({
    chain: chainRecipe?.ids ?? null,
    chain_version: chainRecipe?.digest ?? null,
  });
  const place = { version: 'v', partition: 'p', parent: null, contentHash: null };
  return { entity: page('a'), hash: 'h', stored, recipe: of, ...place };
};
const decide = (chain: Chain, one: Stale, given = relatives()) =>
  transform([one], {
    relatives: given,
    chain,
    attempt: 'this',
    generationOf: () => 7,
    signal: never,
  });
const brief = (decision: Decision) => {
  if (decision.kind === 'write') return `write ${decision.entity.id}`;
  if (decision.kind === 'delete') return `delete ${decision.stored.entity_id}`;
  return decision.kind;
};

const made = (id: string) => storedEntity({ id: `row of ${id}`, entity_id: id, origin: 'a' });
const splitting = chainOf(
  async (entities) =>
    new Map(entities.map((one) => [one.id, [one, page(`${one.id}/1`), page(`${one.id}/2`)]])),
);
const dropping = chainOf(async () => new Map());
const failing = chainOf(async () => {
  throw new StepFailed('no', { hint: 'mend it', isForAll: true });
});

describe('transform', () => {
  it('[TRF-17] decides on the entities made of a record before the row of the record', async () => {
    const known = relatives({ a: [made('a/1'), made('a/old')] });
    const decisions = await decide(splitting, stale(splitting, storedEntity()), known);
    assert.deepEqual(decisions.map(brief), ['delete a/old', 'write a/1', 'write a/2', 'write a']);
    assert.deepEqual(
      decisions.flatMap((one) => (one.kind === 'write' ? [[one.origin, one.generation]] : [])),
      [
        ['a', 7],
        ['a', 7],
        [null, 7],
      ],
    );
  });

  it('hides a dropped record, after it deletes the entities made of it', async () => {
    const known = relatives({ a: [made('a/1')] });
    const [gone, hide] = await decide(dropping, stale(dropping, storedEntity()), known);
    assert.equal(gone && brief(gone), 'delete a/1');
    assert.ok(hide?.kind === 'hide');
    assert.deepEqual([hide.failedAttempt, hide.leftOut.kind], [null, 'skip']);
  });

  it('hides a failed record, unless it is shown as the same transformers left it', async () => {
    const one = stale(failing);
    const [hide] = await decide(failing, one);
    assert.ok(hide?.kind === 'hide');
    assert.deepEqual([hide.failedAttempt, hide.leftOut.kind], ['this', 'fail']);
    const passed = storedEntity({ chain: one.recipe.chain, chain_version: 'older' });
    const [retain] = await decide(failing, stale(failing, passed));
    assert.ok(retain?.kind === 'retain');
    assert.deepEqual([retain.failedAttempt, retain.source.hash], ['this', 'h']);
    for (const other of [
      storedEntity(),
      { ...passed, is_hidden: true },
      { ...passed, origin: 'x' },
    ]) {
      const [decision] = await decide(failing, stale(failing, other));
      assert.equal(decision?.kind, 'hide');
    }
    const restricted = { ...one.entity, access: { viewers: ['ann'], isPublic: false } };
    for (const [viewers, kind] of [
      [['ann'], 'retain'],
      [['ann', 'ben'], 'hide'],
      [null, 'hide'],
    ] as const) {
      const row = { ...passed, viewers: viewers && [...viewers] };
      const [decision] = await decide(failing, { ...stale(failing, row), entity: restricted });
      assert.equal(decision?.kind, kind, `of ${viewers}`);
    }
    const [kept] = await decide(
      failing,
      stale(failing, { ...passed, is_hidden: true }),
      relatives({ a: [made('a/1')] }),
    );
    assert.equal(kept?.kind, 'retain', 'entities that replace the record are shown');
  });
});

describe('rowsOf', () => {
  it('[TRF-17] returns the entities made of a record before the record, so that they are deleted no later than it', () => {
    const rows = rowsOf(
      ['a', 'b'],
      new Map([
        ['a', storedEntity()],
        ['b', storedEntity({ entity_id: 'b', origin: 'other' })],
      ]),
      relatives({ a: [made('a/1')] }),
    );
    assert.deepEqual(
      rows.map(({ entity_id }) => entity_id),
      ['a/1', 'a'],
    );
  });
});

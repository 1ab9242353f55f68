import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  handlersOf,
  hasPassed,
  hasSameChain,
  isSameRecipe,
  RECIPE,
  recipeOf,
  remadeRecipe,
} from './recipe.ts';

const both = { is_searchable: true, is_listable: true };
const chainRecipe = { ids: 'ab', digest: 'cd' };

describe('recipeOf', () => {
  it('differs for another model, other handlers or other transformers', () => {
    const recipes = [
      recipeOf('model 1', both, null),
      recipeOf('model 2', both, null),
      recipeOf('model 1', { ...both, is_searchable: false }, null),
      recipeOf('model 1', { ...both, is_listable: false }, null),
      recipeOf('model 1', both, chainRecipe),
      recipeOf('model 1', both, { ...chainRecipe, ids: 'ac' }),
      recipeOf('model 1', both, { ...chainRecipe, digest: 'ce' }),
    ];
    for (const [i, a] of recipes.entries())
      for (const [j, b] of recipes.entries()) assert.equal(isSameRecipe(a, b), i === j);
    assert.ok(
      isSameRecipe(recipeOf('model 1', { ...both }, { ...chainRecipe }), recipes[4] ?? never()),
    );
  });

  it('differs when any of its parts differs', () => {
    const recipe = recipeOf('model 1', both, chainRecipe);
    for (const part of RECIPE) {
      const other = typeof recipe[part] === 'boolean' ? !recipe[part] : 'other';
      assert.equal(isSameRecipe(recipe, { ...recipe, [part]: other }), false, part);
    }
  });

  it('[COL-10] has all handlers unless the collection is configured otherwise', () => {
    assert.deepEqual(handlersOf(null), both);
    for (const [vectors, metadata] of [
      [false, true],
      [true, false],
    ] as const)
      assert.deepEqual(
        handlersOf({
          handlers: { enable_vector_handlers: vectors, enable_metadata_handlers: metadata },
        }),
        { is_searchable: vectors, is_listable: metadata },
      );
  });
});

describe('remadeRecipe', () => {
  it('keeps the version of the extractor and the handlers, and renews the other parts', () => {
    const present = recipeOf('model 2', { is_searchable: false, is_listable: true }, chainRecipe);
    assert.deepEqual(remadeRecipe(present, 'model 2', chainRecipe), present, 'nothing to renew');
    const old = {
      ...present,
      extract_version: 'old-extract',
      chunk_version: 'old-split old-terms model 1',
      chain: null,
      chain_version: null,
    };
    assert.deepEqual(remadeRecipe(old, 'model 2', chainRecipe), {
      ...present,
      extract_version: 'old-extract',
    });
    assert.equal(remadeRecipe(present, 'model 2', null).chain, null);
  });
});

describe('the transformers of a recipe', () => {
  it('are the same when their ids and versions are the same', () => {
    const recipe = recipeOf('model', both, chainRecipe);
    const newer = { ...chainRecipe, digest: 'ff' };
    assert.deepEqual(
      [chainRecipe, newer, { ...chainRecipe, ids: 'ff' }, null].map((one) =>
        hasSameChain(recipe, one),
      ),
      [true, false, false, false],
    );
    assert.ok(hasSameChain(recipeOf('model', both, null), null));
    assert.ok(!hasSameChain(recipeOf('model', both, null), chainRecipe));
    assert.ok(hasPassed(recipe, newer));
    assert.ok(!hasPassed(recipe, { ...chainRecipe, ids: 'ff' }));
  });
});

function never(): never {
  throw new Error('there is no such recipe');
}

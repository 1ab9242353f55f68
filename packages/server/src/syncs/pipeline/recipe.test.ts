import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  handlersOf,
  isReadable,
  recipeOf,
  remadeRecipe,
  unreadableRecipe,
  wantsChunks,
} from './recipe.ts';

describe('recipeOf', () => {
  const both = { vectors: true, metadata: true };

  it('is another one for another model or other handlers, and the same for the same', () => {
    const recipes = [
      recipeOf('model 1', both),
      recipeOf('model 2', both),
      recipeOf('model 1', { ...both, vectors: false }),
      recipeOf('model 1', { ...both, metadata: false }),
      recipeOf('model 1', { vectors: false, metadata: false }),
    ];
    assert.equal(new Set(recipes).size, recipes.length);
    assert.equal(recipeOf('model 1', { ...both }), recipes[0]);
  });

  it('[COL-10] has all handlers unless the collection says otherwise', () => {
    assert.deepEqual(handlersOf(null), both);
    for (const [vectors, metadata] of [
      [false, true],
      [true, false],
    ] as const)
      assert.deepEqual(
        handlersOf({
          handlers: { enable_vector_handlers: vectors, enable_metadata_handlers: metadata },
        }),
        { vectors, metadata },
      );
  });
});

describe('remadeRecipe', () => {
  const now = (vectors: boolean) => recipeOf('model 2', { vectors, metadata: false });

  it('keeps the extractor and what the collection wanted, and renews the rest', () => {
    assert.equal(remadeRecipe(now(true), 'model 2'), now(true), 'nothing to renew');
    const [, ...rest] = now(false).split(' ');
    assert.equal(
      remadeRecipe('old-extract old-split old-terms model 1 no-vectors unlisted', 'model 2'),
      ['old-extract', ...rest].join(' '),
    );
  });

  it('knows which entities have chunks, whatever becomes of their record', () => {
    for (const vectors of [true, false]) {
      const recipe = now(vectors);
      assert.equal(wantsChunks(recipe), vectors);
      assert.equal(wantsChunks(unreadableRecipe(recipe)), vectors);
      assert.deepEqual([isReadable(recipe), isReadable(unreadableRecipe(recipe))], [true, false]);
    }
  });
});

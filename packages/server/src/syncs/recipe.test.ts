import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { handlersOf, recipeOf } from './recipe.ts';

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

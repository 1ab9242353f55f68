import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDefinitionPaths } from './definition-paths.ts';

const at = (start: number, end: number, title: string) => ({ start, end, title });

describe('the path of a piece of code', () => {
  it('has the definitions around the piece, and then those that begin in it', () => {
    const path = createDefinitionPaths([
      at(10, 100, 'Router'),
      at(20, 60, 'add'),
      at(60, 80, 'remove'),
      at(80, 100, 'find'),
      at(120, 130, 'main'),
    ]);
    assert.equal(path(0, 10), null);
    assert.equal(path(10, 30), 'Router, add');
    assert.equal(path(30, 60), 'Router > add');
    assert.equal(path(60, 100), 'Router > remove, find');
    assert.equal(path(100, 120), null);
    assert.equal(path(120, 140), 'main');
  });

  it('has no definition that ended before one that goes on', () => {
    const path = createDefinitionPaths([at(0, 10, 'before'), at(10, 100, 'around')]);
    assert.equal(path(20, 30), 'around');
  });

  it('has as many definitions that begin in a piece as there is room for with their commas', () => {
    const pathOf = (...lengths: number[]) =>
      createDefinitionPaths(lengths.map((length, i) => at(i, 50, `${i}`.repeat(length))))(0, 50);
    assert.equal(pathOf(98, 95)?.length, 98 + 2 + 95);
    assert.equal(pathOf(98, 96)?.length, 98);
  });

  it('has a title once', () => {
    const path = createDefinitionPaths([at(0, 50, 'Path'), at(5, 10, 'Path'), at(10, 20, 'Path')]);
    assert.equal(path(0, 5), 'Path');
    assert.equal(path(7, 20), 'Path > Path', 'the constructor is within its class');
  });

  it('has at most 200 characters: the innermost definitions, and as many others as there is room for', () => {
    const long = (letter: string) => letter.repeat(90);
    const path = createDefinitionPaths([
      at(0, 100, long('a')),
      at(1, 100, long('b')),
      at(2, 100, long('c')),
      at(50, 60, 'd'),
      at(60, 70, long('e')),
    ]);
    assert.equal(path(10, 40), `${long('b')} > ${long('c')}`);
    assert.equal(path(40, 100), `${long('b')} > ${long('c')} > d`);
  });

  it('takes linear time for definitions within definitions', () => {
    const count = 20_000;
    const path = createDefinitionPaths(
      Array.from({ length: count }, (_, i) => at(i, 2 * count - i, `f${i}`)),
    );
    for (let i = 0; i < count; i++) assert.ok(path(i, i + 1)!.length <= 200);
  });
});

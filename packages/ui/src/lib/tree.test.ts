import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wholeLevel } from './tree.ts';

const branch = (id: string, records: number) => ({
  id,
  name: `Part ${id}`,
  type: 'Folder',
  records,
});

describe('a level of the tree', () => {
  it('adds up its pages, sorts branches by name, and knows the way from any page', () => {
    const path = [{ id: 'r', name: 'Root' }];
    const level = wholeLevel([
      { path: [], branches: [branch('10', 2), branch('9', 1)], items: [] },
      { path, branches: [branch('10', 3)], items: [] },
    ]);
    assert.deepEqual(
      level.branches.map(({ id, records }) => [id, records]),
      [
        ['9', 1],
        ['10', 5],
      ],
    );
    assert.deepEqual(level.path, path);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFirstRun, nameOfFolder, suggestedSearches } from './first-run.ts';

describe('the first run', () => {
  it('lasts until a collection other than the sample has a source', () => {
    const sample = { readable_id: 'quarry-docs', source_connections: 1 };
    const own = { readable_id: 'notes', source_connections: 0 };
    assert.ok(isFirstRun([]));
    assert.ok(isFirstRun([sample, own]));
    assert.ok(!isFirstRun([sample, { ...own, source_connections: 1 }]));
  });

  it('names a collection after its folder', () => {
    assert.deepEqual(
      ['/home/ann/handbook', '/home/ann/handbook/', '/srv/wiki', '/doc', '/'].map(nameOfFolder),
      ['handbook', 'handbook', 'wiki', 'doc folder', 'folder'],
    );
    assert.equal(nameOfFolder(`/${'x'.repeat(99)}`).length, 42);
  });

  it('suggests searches from names, those of several words first', () => {
    assert.deepEqual(
      suggestedSearches([
        'README.md',
        'Travel and expenses.md',
        'on-call_rota.pdf',
        '2024',
        '2026-01-13.md',
        'a.md',
      ]),
      ['travel and expenses', 'on call rota', 'readme'],
    );
    assert.deepEqual(suggestedSearches(['weir.md', 'Weir.md']), ['weir']);
  });
});

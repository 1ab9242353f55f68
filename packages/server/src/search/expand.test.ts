import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readingsOf, variantsOf } from './expand.ts';

/** Returns the readings of a query in a collection. `has` maps terms to the number of chunks that contain them. */
function readings(query: string, has: Readonly<Record<string, number>>, expand = true) {
  const variants = variantsOf(query, expand);
  const documentFrequencies = variants.countedTerms.map((term) => has[term] ?? 0);
  return readingsOf(variants, { chunks: 100, averageLength: 10, documentFrequencies });
}

describe('readingsOf', () => {
  it('[SRH-08] joins words that the collection writes as one word', () => {
    assert.deepEqual(readings('data base backups', { databas: 3, backup: 1 }), [
      ['data', 'base', 'backup'],
      ['databas', 'backup'],
    ]);
    assert.deepEqual(readings('log in web hook', { webhook: 1 }), [
      ['log', 'web', 'hook'],
      ['log', 'webhook'],
    ]);
    // This holds even where the collection writes them apart more often.
    const both = { web: 9, hook: 9, webhook: 1 };
    assert.deepEqual(readings('web hook', both), [['web', 'hook'], ['webhook']]);
  });

  it('[SRH-08] splits a word that the collection does not contain into two words that it contains', () => {
    assert.deepEqual(readings('webhook', { web: 4, hook: 2 }), [['webhook'], ['web', 'hook']]);
    assert.deepEqual(readings('webhook', { web: 4, hook: 2, webhook: 1 }), [['webhook']]);
    assert.deepEqual(readings('webhook', { web: 4 }), [['webhook']]);
    // The best split is the one whose rarer part is the more frequent one.
    assert.deepEqual(readings('barnacle', { bar: 1, nacl: 9, barn: 5, acl: 5 })[1], [
      'barn',
      'acl',
    ]);
  });

  it('[SRH-08] splits only into parts of at least three letters', () => {
    assert.deepEqual(readings('input', { in: 5, put: 5, inp: 5, ut: 5 }), [['input']]);
    assert.equal(readings('sunset', { sun: 1, set: 1 }).length, 2);
  });

  it('[SRH-08] uses each word in only one joined word', () => {
    assert.deepEqual(readings('web hook web', { webhook: 1, hookweb: 1 })[1], ['webhook', 'web']);
  });

  it('[SRH-08] returns only the query itself without expansion', () => {
    assert.deepEqual(variantsOf('the data base', false).countedTerms, ['data', 'base']);
    assert.deepEqual(readings('data base', { databas: 3 }, false), [['data', 'base']]);
  });

  it('[SRH-08] does not expand a long query', () => {
    const words = (count: number) =>
      Array.from({ length: count }, (_, i) => (i % 2 ? 'base' : 'data')).join(' ');
    assert.equal(readings(words(12), { databas: 1 }).length, 2);
    assert.equal(readings(words(13), { databas: 1 }).length, 1);
  });

  it('[SRH-04] finds no terms in a query of stop words', () => {
    assert.deepEqual(readings('the of to', {}), [[]]);
  });
});

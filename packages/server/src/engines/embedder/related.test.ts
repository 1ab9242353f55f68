import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fnv1a } from '../../model/hash.ts';
import { termNumbers, terms } from '../../model/terms.ts';
import { must } from '../../util.ts';
import { plainScan } from '../kernel.ts';
import { loadModel } from './model-file.ts';
import { createRelatedness } from './related.ts';
import { find } from './vocabulary.ts';

const model = loadModel();
const related = createRelatedness(model);

const numbersOf = (texts: readonly string[]) => texts.map((text) => termNumbers(terms(text)));
function query(text: string, weightOf: (term: string) => number = () => 1) {
  const distinct = [...new Set(terms(text))];
  return { terms: distinct, weights: distinct.map(weightOf) };
}

/** Computes the cosine of the rows of two stems from their components. */
function cosine(a: string, b: string): number {
  const [x, y] = [a, b].map((stem) => {
    const row = find(model.vocabulary, stem, fnv1a(stem));
    assert.ok(row >= 0, `the model does not know ${stem}`);
    return [...model.rows.subarray(row * model.dimensions, (row + 1) * model.dimensions)];
  });
  const dot = (p: number[], q: number[]) => p.reduce((sum, value, i) => sum + value * q[i]!, 0);
  return dot(must(x), must(y)) / Math.sqrt(dot(must(x), must(x)) * dot(must(y), must(y)));
}

describe('related words', () => {
  it('count for a missing word of a chunk, by the square of the largest cosine', () => {
    const [found] = related(query('vehicle'), numbersOf(['a garden with a car']));
    const expected = Math.max(cosine('vehicl', 'car'), cosine('vehicl', 'garden')) ** 2;
    assert.ok(expected > 0.1);
    assert.ok(Math.abs(must(found) - expected) < 1e-6, `${found} instead of ${expected}`);
  });

  it('do not count for a word that the chunk contains', () => {
    const chunks = numbersOf(['a car in a garden', 'car car', 'the motor of a vehicle']);
    assert.deepEqual([...related(query('car'), chunks)].slice(0, 2), [0, 0]);
    assert.ok(must(related(query('car'), chunks)[2]) > 0.1);
  });

  it('count by the weight of the missing word, as a share of the weight of all words', () => {
    const heavy = query('vehicle zzqqxy', (term) => (term === 'vehicl' ? 3 : 1));
    const [whole] = related(query('vehicle'), numbersOf(['car']));
    const [part] = related(heavy, numbersOf(['car']));
    assert.ok(Math.abs(must(part) - 0.75 * must(whole)) < 1e-6);
  });

  it('are searched only for the eight words with the most weight', () => {
    const others = 'apple bread cheese dinner engine forest garden hammer';
    const light = (term: string) => (term === 'vehicl' ? 0.5 : 1);
    const chunk = numbersOf([`car ${others}`]);
    assert.deepEqual([...related(query(`vehicle ${others}`, light), chunk)], [0]);
    const seven = others.split(' ').slice(1).join(' ');
    assert.ok(must(related(query(`vehicle ${seven}`, light), chunk)[0]) > 0);
  });

  it('do not depend on the other chunks or on earlier searches', () => {
    const texts = [
      'a car in a garden',
      'bread and cheese',
      'zzqqxy 17',
      '',
      'the motor of a vehicle',
    ];
    const asked = query('the price of automobile parts');
    const together = [...related(asked, numbersOf(texts))];
    const alone = texts.map((text) => must(related(asked, numbersOf([text]))[0]));
    assert.deepEqual(alone, together);
    assert.deepEqual([...createRelatedness(model)(asked, numbersOf(texts))], together);
    assert.equal(together[2], 0);
    assert.equal(together[3], 0);
  });

  it('are the same without SIMD', () => {
    const texts = ['a car in a garden', 'the motor of a vehicle', 'money in a bank'];
    const plain = createRelatedness(model, plainScan);
    for (const asked of [query('automobile finance'), query('flowers')])
      assert.deepEqual([...plain(asked, numbersOf(texts))], [...related(asked, numbersOf(texts))]);
  });

  it('do not exist for a query whose words are all unknown', () => {
    assert.deepEqual([...related(query('zzqqxy 17'), numbersOf(['car', '']))], [0, 0]);
    assert.deepEqual([...related(query(''), numbersOf(['car']))], [0]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Head, type Limits, Places } from './fair.ts';

const LIMITS: Limits = { all: 8, doubtful: 4, each: 3, eachDoubtful: 1 };
const head = (name: string, count: number, isDoubtful = false): Head => ({
  subscriptionId: name,
  organizationId: name[0] ?? '',
  isDoubtful,
  seqs: Array.from({ length: count }, (_, i) => i),
});
const names = (places: Places, heads: readonly Head[]) =>
  places
    .choose(heads)
    .map(({ subscriptionId, seq }) => `${subscriptionId}:${seq}`)
    .join(' ');

describe('who is served next', () => {
  it('organizations take turns, and endpoints within one, the oldest message first', () => {
    const heads = [head('a1', 9), head('a2', 9), head('a3', 9), head('b1', 9)];
    assert.equal(names(new Places(LIMITS), heads), 'a1:0 b1:0 a2:0 b1:1 a3:0 b1:2 a1:1 a2:1');
  });

  it('no endpoint has more than its share, however long the others are silent', () => {
    const places = new Places(LIMITS);
    assert.equal(names(places, [head('a1', 9)]), 'a1:0 a1:1 a1:2');
    assert.deepEqual([places.full, places.free], [['a1'], 5]);
    assert.equal(names(places, [head('a1', 9), head('a2', 1)]), 'a2:0');
  });

  it('when all places are taken the next free one is for an endpoint that has none', () => {
    const places = new Places({ ...LIMITS, all: 2 });
    const heads = ['a1', 'a2', 'a3'].map((name) => head(name, 9));
    places.choose([head('a1', 2)]);
    places.give({ subscriptionId: 'a1', seq: 0, isDoubtful: false });
    assert.equal(names(places, heads), 'a2:0');
  });

  it('doubtful endpoints leave half of the places to the others', () => {
    const places = new Places(LIMITS);
    const dead = Array.from({ length: 9 }, (_, i) => head(`a${i}`, 9, true));
    assert.equal(names(places, dead), 'a0:0 a1:0 a2:0 a3:0');
    assert.equal(names(places, [...dead, head('a9', 9), head('b1', 9)]), 'a9:0 b1:0 a9:1 b1:1');
    assert.equal(places.free, 0);
  });

  it('what is on its way keeps its place until it is given back, and is not sent twice meanwhile', () => {
    const places = new Places(LIMITS);
    const [first] = places.choose([head('a1', 1)]);
    assert.ok(first);
    assert.equal(names(places, [head('a1', 1)]), '');
    places.give(first);
    assert.deepEqual([places.free, names(places, [head('a1', 1)])], [8, 'a1:0']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { generateReadableId, READABLE_ID } from './readable-id.ts';

const slugOf = (name: string) => generateReadableId(name, 'collection').slice(0, -7);

describe('generateReadableId', () => {
  for (const [name, slug] of [
    ['Our Docs', 'our-docs'],
    ['  Über: Äpfel & Crème  ', 'uber-apfel-creme'],
    ['v2.0_final', 'v2-0-final'],
    ['ﬁle №1', 'file-no1'],
    ['---', 'collection'],
    ['日本語', 'collection'],
    ['x'.repeat(64), 'x'.repeat(57)],
    [`${'x'.repeat(56)} yz`, 'x'.repeat(56)],
    [`-${'x'.repeat(57)}`, 'x'.repeat(57)],
  ] as const)
    it(`[COL-05] [COL-31] '${name}' begins with ${slug}`, () => assert.equal(slugOf(name), slug));

  it('[COL-04] [COL-05] [COL-31] is valid for any name, with six characters of [a-z0-9]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 4, maxLength: 64 }), (name) => {
        const id = generateReadableId(name, 'collection');
        assert.match(id, READABLE_ID);
        assert.match(id, /-[a-z0-9]{6}$/);
        assert.ok(id.length <= 64);
      }),
    );
  });

  it('[COL-05] draws each character of the suffix evenly', () => {
    const draws = 3600;
    const places = Array.from({ length: 6 }, () => new Map<string, number>());
    for (let n = 0; n < draws; n++)
      for (const [at, character] of [
        ...generateReadableId('x', 'collection').slice(-6),
      ].entries()) {
        const counts = places[at] ?? new Map();
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    for (const counts of places) {
      assert.equal(counts.size, 36);
      // The expected count is 100 each; the bounds are eight standard deviations away.
      for (const count of counts.values()) assert.ok(count > 20 && count < 180, `${count} of 100`);
    }
  });
});

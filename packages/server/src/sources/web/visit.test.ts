import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settled } from './follow.ts';
import { rulesIn } from './page.ts';
import { validatorsOf } from './visit.ts';

describe('what tells a crawl that a page is unchanged', () => {
  it('is a time of a sitemap that cannot come again', () => {
    const now = Date.parse('2026-06-10T12:00:00Z');
    for (const [lastmod, isSettled] of [
      ['2026-06-10', false],
      ['2026-06-09', false],
      ['2026-06-08', true],
      ['2026-06', true],
      ['2026-06-10T11:59:30Z', false],
      ['2026-06-10T11:58:00+00:00', true],
      ['2027-01-01', false],
      ['yesterday', false],
      ['', false],
    ] as const)
      assert.equal(settled(lastmod, now), isSettled ? lastmod : null, lastmod);
  });

  it('is an entity tag, or a time of change that is not of the present second', () => {
    const of = (headers: Record<string, string>) => validatorsOf(new Headers(headers));
    const [early, late] = ['Wed, 10 Jun 2026 10:00:00 GMT', 'Wed, 10 Jun 2026 10:00:05 GMT'];
    assert.deepEqual(of({ etag: 'W/"a"', 'last-modified': early }), {
      etag: 'W/"a"',
      modified: early,
    });
    assert.deepEqual(of({ 'last-modified': early, date: late }), { etag: null, modified: early });
    assert.deepEqual(of({ 'last-modified': late, date: late }), { etag: null, modified: null });
    assert.deepEqual(of({ 'last-modified': early }), { etag: null, modified: null });
    assert.deepEqual(of({ etag: `"${'x'.repeat(600)}"` }), { etag: null, modified: null });
  });
});

describe('rules for robots in a page or a header', () => {
  it('count when they are for all robots or for us', () => {
    for (const [content, rules] of [
      ['NoIndex, nofollow', ['noindex', 'nofollow']],
      ['googlebot: noindex', []],
      ['googlebot: nofollow, quarry: noindex', ['noindex']],
      ['max-snippet: 20, none', ['none']],
      ['unavailable_after: 25 Jun 2026 15:00:00 PST, noindex', ['noindex']],
    ] as const)
      assert.deepEqual(
        [...rulesIn(content)].filter((rule) => rule !== ''),
        [...rules],
        content,
      );
  });
});

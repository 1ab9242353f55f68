import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { againstBefore, progressOf, segmentsInWords } from './progress.ts';

const counts = { inserted: 61, updated: 58, kept: 2771, skipped: 12, failed: 2, deleted: 3 };
const none = { inserted: 0, updated: 0, kept: 0, skipped: 0, failed: 0, deleted: 0 };

describe('the progress of a sync', () => {
  it('adds up by type, and leaves deletions out', () => {
    const [page] = progressOf(
      { entities_encountered: { Page: 2904 }, entities_by_type: { Page: counts } },
      { Page: 3398 },
    );
    assert.ok(page);
    const sum = page.segments.reduce((total, { records }) => total + records, 0);
    assert.deepEqual([sum, page.seen, page.before], [2904, 2904, 3398]);
    assert.equal(
      segmentsInWords(page.segments),
      '61 new, 58 changed, 2,771 unchanged, 12 skipped, 2 failed',
    );
    assert.equal(againstBefore(page), 'of about 3,398');
  });

  it('shows a type of last time that has not come yet, and one that is new', () => {
    const types = progressOf(
      { entities_encountered: { User: 41, Tag: 2 }, entities_by_type: { User: none, Tag: none } },
      { User: 41, Page: 7 },
    );
    assert.deepEqual(
      types.map((one) => [one.type, one.seen, againstBefore(one)]),
      [
        ['User', 41, 'all of last time'],
        ['Tag', 2, 'none last time'],
        ['Page', 0, 'of about 7'],
      ],
    );
    assert.equal(
      againstBefore({ ...types[0], seen: 50 } as (typeof types)[number]),
      '41 last time',
    );
  });

  it('compares with nothing when there is no last time', () => {
    const [page] = progressOf({ entities_encountered: { Page: 9 }, entities_by_type: null }, null);
    assert.deepEqual(page, { type: 'Page', seen: 9, before: null, segments: [] });
    assert.equal(againstBefore(page), null);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContentsCursor } from './cursor.ts';
import { type WalkBatch, walk } from './walk.ts';

describe('a walk through connections', () => {
  const NAMES = { a: ['1', '2'], b: ['1', '2', '3'], c: ['1'] } as const;
  const connections = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const signal = new AbortController().signal;

  const read = async ({ connection, after, limit }: WalkBatch) =>
    NAMES[connection as keyof typeof NAMES]
      .filter((name) => after === null || name > after.entity)
      .slice(0, limit)
      .map((entity_id) => ({ entity_id, place: `${connection}${entity_id}` }));

  /** Returns what each page shows, after checking that each page ends as it should. */
  async function pages(isFull: (shown: number) => boolean): Promise<string[][]> {
    const all: string[][] = [];
    for (let from: ContentsCursor | undefined; ; ) {
      const page: string[] = [];
      const visit = (row: { readonly place: string }) => isFull(page.push(row.place));
      const next = await walk({ connections, from, read, visit }, signal);
      all.push(page);
      if (next === null) return all;
      from = next;
    }
  }

  it('goes on where a page was full, also at the end of a connection', async () => {
    for (const size of [1, 2, 3, 4, 5, 6, 7]) {
      const all = await pages((shown) => shown === size);
      assert.deepEqual(all.flat(), ['a1', 'a2', 'b1', 'b2', 'b3', 'c1'], `${size} a page`);
      assert.ok(all.every((page) => page.length <= size));
    }
  });

  it('ends a page early when it takes long, and never without a row', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => {
      now += 1_500;
      return now;
    });
    const all = await pages(() => false);
    assert.deepEqual(all.flat(), ['a1', 'a2', 'b1', 'b2', 'b3', 'c1']);
    assert.ok(all.length > 2);
    assert.ok(all.slice(0, -1).every((page) => page.length > 0));
  });

  it('reads no more for a client that has gone', async () => {
    const gone = new AbortController();
    const seen: string[] = [];
    const visit = ({ place }: { readonly place: string }) => {
      seen.push(place);
      if (place === 'a2') gone.abort(new Error('gone'));
      return false;
    };
    const walking = walk({ connections, from: undefined, read, visit }, gone.signal);
    await assert.rejects(walking, /^Error: gone$/);
    assert.deepEqual(seen, ['a1', 'a2']);
  });
});

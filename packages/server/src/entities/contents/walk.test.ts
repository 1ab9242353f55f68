import assert from 'node:assert/strict';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import type { ContentsCursor } from './cursor.ts';
import { type WalkBatch, walk, wholeBatch } from './walk.ts';

describe('a walk through connections', () => {
  const NAMES = { a: ['1', '2'], b: ['1', '2', '3'], c: ['1'] } as const;
  const connections = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const signal = new AbortController().signal;

  const read = async ({ connection, after, limit }: WalkBatch) =>
    wholeBatch(
      NAMES[connection as keyof typeof NAMES]
        .filter((name) => after === null || name > after.entity)
        .slice(0, limit)
        .map((entity_id) => ({ entity_id, place: `${connection}${entity_id}` })),
      { limit },
    );

  /** Returns the rows of each page. It also checks that each page ends at the right position. */
  async function pages(
    isFull: (shown: number) => boolean,
    order: readonly string[] = connections,
  ): Promise<string[][]> {
    const all: string[][] = [];
    for (let from: ContentsCursor | undefined; ; ) {
      const page: string[] = [];
      const visit = (row: { readonly place: string }) => isFull(page.push(row.place));
      const next = await walk({ connections: order, from, read, visit }, signal);
      all.push(page);
      if (next === null) return all;
      from = next;
    }
  }

  it('goes on after a full page, also at the end of a connection', async () => {
    for (const order of [connections, connections.toReversed()])
      for (const size of [1, 2, 3, 4, 5, 6, 7]) {
        const all = await pages((shown) => shown === size, order);
        assert.deepEqual(all.flat(), ['a1', 'a2', 'b1', 'b2', 'b3', 'c1'], `${size} a page`);
        assert.ok(all.every((page) => page.length <= size));
      }
  });

  it('ends a page early when it takes long, but not before its first row', async (t) => {
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

  it('goes on after rows that were left out, also on the next page', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => {
      now += 700;
      return now;
    });
    const asked: (string | undefined)[] = [];
    const sparse = async ({ after }: WalkBatch) => {
      asked.push(after?.entity);
      const end = Number(after?.entity ?? 0) + 10;
      const rows = end === 30 ? [{ entity_id: '25' }] : [];
      return { rows, last: end >= 50 ? null : { entity: String(end), position: 0 } };
    };
    const found: string[] = [];
    let from: ContentsCursor | null | undefined;
    let pages = 0;
    do {
      pages++;
      const visit = ({ entity_id }: { entity_id: string }) => found.push(entity_id) === 1;
      from = await walk(
        { connections: ['a'], from: from ?? undefined, read: sparse, visit },
        signal,
      );
    } while (from !== null);
    assert.deepEqual([found, asked], [['25'], [undefined, '10', '20', '25', '35', '45']]);
    assert.ok(pages > 2, `${pages}`);
  });

  it('reads no more after the client has disconnected', async () => {
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

  describe('with 99 rows, of which each takes four milliseconds', () => {
    const rows = Array.from({ length: 99 }, (_, i) => ({ entity_id: String(i).padStart(2, '0') }));
    let leaving: AbortController;
    beforeEach(() => {
      leaving = new AbortController();
    });

    /** Returns how many rows were visited between two turns of the event loop. */
    async function visits(t: TestContext, during: (row: { entity_id: string }) => void) {
      let now = 0;
      t.mock.method(performance, 'now', () => now);
      const counts = [0];
      let turn = setImmediate(function next() {
        counts.push(0);
        turn = setImmediate(next);
      });
      const visit = (row: { entity_id: string }) => {
        now += 4;
        counts.push((counts.pop() ?? 0) + 1);
        during(row);
        return false;
      };
      try {
        const read = async () => ({ rows, last: null });
        await walk({ connections: ['a'], from: undefined, read, visit }, leaving.signal);
      } finally {
        clearImmediate(turn);
      }
      return counts.filter((count) => count > 0);
    }
    it('gives other work a turn after ten milliseconds', async (t) => {
      assert.deepEqual(await visits(t, () => {}), Array(33).fill(3));
    });

    it('visits no more rows when the client disconnects during such a turn', async (t) => {
      const seen: string[] = [];
      const walking = visits(t, ({ entity_id }) => {
        seen.push(entity_id);
        if (seen.length === 4) leaving.abort(new Error('gone'));
      });
      await assert.rejects(walking, /^Error: gone$/);
      assert.equal(seen.length, 6);
    });
  });
});

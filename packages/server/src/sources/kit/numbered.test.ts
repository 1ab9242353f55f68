import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NumberedPlace, numbered, numberedPages } from './numbered.ts';

const SIZE = 2;
const idOf = (item: string) => item;

/** A list of a service: `change` is called before each answer, with the number of the request. */
function openList(items: string[], change: (asked: number) => void = () => {}, size = SIZE) {
  const starts: number[] = [];
  const get = async (startAt: number) => {
    change(starts.length);
    starts.push(startAt);
    return { values: items.slice(startAt, startAt + size), startAt };
  };
  return { get, starts };
}

describe('a list whose pages begin at a number', () => {
  it('is read to its end, and each page begins with the last item of the one before', async () => {
    const { get, starts } = openList(['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(await numbered(get, idOf), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(starts, [0, 1, 2, 3, 4]);
  });

  it('is read from pages of one item', async () => {
    const { get, starts } = openList(['a', 'b', 'c'], undefined, 1);
    assert.deepEqual(await numbered(get, idOf), ['a', 'b', 'c']);
    assert.deepEqual(starts, [0, 1, 2, 3]);
  });

  it('ends at the page that the service calls the last one', async () => {
    const { get, starts } = openList(['a', 'b', 'c']);
    const all = await numbered(
      async (startAt) => ({ ...(await get(startAt)), isLast: startAt === 1 }),
      idOf,
    );
    assert.deepEqual(
      [all, starts],
      [
        ['a', 'b', 'c'],
        [0, 1],
      ],
    );
  });

  it('is not ended by an empty page that the service does not call the last one', async () => {
    const { get } = openList(['a', 'b', 'c']);
    await assert.rejects(
      numbered(async (startAt) => ({ ...(await get(startAt)), isLast: false }), idOf),
      { kind: 'transient' },
    );
  });

  for (const [what, change] of [
    ['an item before the place that was reached goes', (all: string[]) => all.shift()],
    ['an item comes before it', (all: string[]) => all.unshift('new')],
    ['the last item of the page before goes', (all: string[]) => all.splice(1, 1)],
  ] as const) {
    it(`is read again when ${what}`, async () => {
      const items = ['a', 'b', 'c', 'd', 'e'];
      const { get } = openList(items, (asked) => void (asked === 1 && change(items)));
      assert.deepEqual(await numbered(get, idOf), items);
    });
  }

  it('is read again when the service answers with the page of another request', async () => {
    const { get } = openList(['a', 'b', 'c', 'd', 'e']);
    let asked = 0;
    const all = await numbered((startAt) => get(asked++ === 0 ? 4 : startAt), idOf);
    assert.deepEqual(all, ['a', 'b', 'c', 'd', 'e']);
  });

  it('has none of its earlier items when it is empty as it is read again', async () => {
    const items = ['a', 'b', 'c'];
    const { get } = openList(items, (asked) => void (asked === 1 && items.splice(0)));
    assert.deepEqual(await numbered(get, idOf), []);
  });

  it('is an error when it changes at each of three attempts', async () => {
    const items = ['a', 'b', 'c'];
    const { get, starts } = openList(
      items,
      (asked) => void (asked % 2 && items.unshift(`new ${asked}`)),
    );
    await assert.rejects(numbered(get, idOf), { kind: 'transient' });
    assert.deepEqual(starts, [0, 1, 0, 1, 0, 1]);
  });

  it('comes page by page, and again from its first page when it has shifted', async () => {
    const items = ['a', 'b', 'c'];
    const { get } = openList(items, (asked) => void (asked === 2 && items.shift()));
    const met = [];
    for await (const page of numberedPages(get, idOf)) met.push(page);
    assert.deepEqual(met, [
      { items: ['a', 'b'], isFirst: true, place: { count: 2, last: 'b' } },
      { items: ['c'], isFirst: false, place: { count: 3, last: 'c' } },
      { items: ['b', 'c'], isFirst: true, place: { count: 2, last: 'c' } },
    ]);
  });

  it('goes on at a place that an earlier reading has yielded', async () => {
    for (const size of [1, 2, 3]) {
      const all = ['a', 'b', 'c', 'd', 'e'];
      const places = [];
      for await (const { place } of numberedPages(openList(all, undefined, size).get, idOf))
        places.push(NumberedPlace.parse(JSON.parse(JSON.stringify(place))));
      for (const place of places) {
        const rest = [];
        const { get } = openList(all, undefined, size);
        for await (const { items } of numberedPages(get, idOf, place)) rest.push(...items);
        assert.deepEqual(rest, all.slice(place.count), `${size}, ${place.count}`);
      }
    }
  });

  it('is read from its beginning when it has shifted since that reading', async () => {
    const { get, starts } = openList(['b', 'c', 'd']);
    const met = [];
    for await (const page of numberedPages(get, idOf, { count: 2, last: 'b' })) met.push(page);
    assert.deepEqual(
      met.map(({ items, isFirst }) => [items, isFirst]),
      [
        [['b', 'c'], true],
        [['d'], false],
      ],
    );
    assert.deepEqual(starts.slice(0, 2), [1, 0]);
  });
});

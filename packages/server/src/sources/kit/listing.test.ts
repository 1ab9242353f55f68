import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import {
  type LeftOut,
  listed,
  lost,
  remove,
  type Stub,
  stub,
  type Upsert,
  upsert,
} from '../items.ts';
import { LeftOutFile } from './file.ts';
import { ahead, eachOf, ifReadable, nextLink, pages, part } from './listing.ts';

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('pages', () => {
  const service = (next: Readonly<Record<string, string | undefined>>) => {
    const asked: (string | null)[] = [];
    const get = async (place: string | null) => {
      asked.push(place);
      return { page: `page ${place}`, next: next[String(place)] };
    };
    return { asked, get };
  };

  it('are read from the first one or from a given place, up to the last one', async () => {
    const { asked, get } = service({ null: 'b', b: 'c' });
    assert.deepEqual(await collect(pages(null, get)), [
      { page: 'page null', next: 'b' },
      { page: 'page b', next: 'c' },
      { page: 'page c', next: null },
    ]);
    assert.deepEqual(asked, [null, 'b', 'c']);
    assert.deepEqual(await collect(pages('c', get)), [{ page: 'page c', next: null }]);
  });

  it('end with an error when a place is named twice, also the first place', async () => {
    const circle = { kind: 'fatal', message: /names the page 'b' again/ };
    await assert.rejects(collect(pages(null, service({ null: 'b', b: 'c', c: 'b' }).get)), circle);
    const { asked, get } = service({ b: 'b' });
    await assert.rejects(collect(pages('b', get)), circle);
    assert.deepEqual(asked, ['b']);
  });
});

describe('records that are read ahead', () => {
  it('come in their order, and only so many are read at the same time', async () => {
    const reading: number[] = [];
    let most = 0;
    const read = async (n: number) => {
      most = Math.max(most, reading.push(n));
      // The first ones take the longest.
      for (let i = n; i < 9; i++) await null;
      reading.splice(reading.indexOf(n), 1);
      return n;
    };
    assert.deepEqual(await collect(ahead([1, 2, 3, 4, 5, 6], 3, read)), [1, 2, 3, 4, 5, 6]);
    assert.equal(most, 3);
  });
});

describe('the link to the next page', () => {
  const next = (link: string) => nextLink(new Headers({ link }));

  it('is the target of the relation next, at any place and in any notation', () => {
    for (const link of [
      '<https://a.example/x?page=2>; rel="next"',
      '<https://a.example/x?page=1>; rel="prev", <https://a.example/x?page=2>; rel="next"',
      '<https://a.example/x?page=2>; rel=next; title="a, b; rel=prev"',
      '<https://a.example/x?page=2>;title="x";REL="last NEXT"',
    ])
      assert.equal(next(link), 'https://a.example/x?page=2', link);
    assert.equal(
      next('<https://a.example/a,b;c?page=2>; rel="next"'),
      'https://a.example/a,b;c?page=2',
    );
  });

  it('is null without such a relation', () => {
    for (const link of [
      '',
      '<https://a.example>; rel="prev"',
      '<https://a.example>; title="next"',
      'x',
    ])
      assert.equal(next(link), null, link);
    assert.equal(nextLink(new Headers()), null);
  });
});

describe('a part of a listing', () => {
  async function* items(error?: Error) {
    yield remove('a');
    if (error) throw error;
  }
  it('is reported as listed after its last item', async () =>
    assert.deepEqual(await collect(part('p', items())), [remove('a'), listed('p')]));
  it('is reported as lost when it may not be listed', async () => {
    const error = new SourceError('skip', 'forbidden');
    assert.deepEqual(await collect(part('p', items(error))), [remove('a'), lost('p', error)]);
  });
  it('ends the listing with any other error', async () => {
    const error = new SourceError('transient', 'broken');
    await assert.rejects(collect(part('p', items(error))), error);
  });
});

describe('hydration of many stubs', () => {
  const stubs = ['a', 'b', 'c', 'd'].map((id) => stub(id, 'T', { version: '1' }));
  const whole = ({ id }: Stub): Upsert => upsert({ id, type: 'T', name: id, text: '', fields: {} });
  const ids = (items: readonly (Upsert | LeftOut)[]) =>
    items.map((item) => (item.kind === 'upsert' ? item.entity.id : `${item.kind} ${item.id}`));

  it('reads a limited number at the same time, and starts them in order', async () => {
    const waiting = new Map<string, () => void>();
    let most = 0;
    const read = async (one: Stub) => {
      most = Math.max(most, waiting.size + 1);
      await new Promise<void>((done) => waiting.set(one.id, done));
      waiting.delete(one.id);
      return whole(one);
    };
    const all = collect(eachOf(stubs, 2, read));
    for (const id of ['b', 'c', 'a', 'd']) {
      while (!waiting.has(id)) await new Promise(setImmediate);
      waiting.get(id)?.();
      while (waiting.has(id)) await new Promise(setImmediate);
    }
    assert.deepEqual(ids(await all), ['b', 'c', 'a', 'd']);
    assert.equal(most, 2);
  });

  it('fails only the stub that cannot be read, and skips one that is left out', async () => {
    const read = async (one: Stub) => {
      if (one.id === 'b') throw new SourceError('skip', 'gone');
      if (one.id === 'c') throw new LeftOutFile({ reason: 'too large' });
      return whole(one);
    };
    const items = await collect(eachOf(stubs, 4, read));
    assert.deepEqual(ids(items).sort(), ['a', 'd', 'fail b', 'skip c']);
    const { reason, removes } = items.find((item) => item.kind === 'skip') as LeftOut;
    assert.deepEqual([reason, removes], ['too large', 'record']);
  });

  it('ends with any other error', async () => {
    const error = new SourceError('auth', 'expired');
    const read = async (one: Stub) => {
      if (one.id === 'c') throw error;
      return whole(one);
    };
    await assert.rejects(collect(eachOf(stubs, 3, read)), error);
  });

  it('accepts an empty list', async () =>
    assert.deepEqual(await collect(eachOf([], 3, async (one) => whole(one))), []));
});

describe('a value that may not be readable', () => {
  it('is replaced when the service refuses it, and by no other failure', async () => {
    const fails = (kind: 'skip' | 'transient') => async () => {
      throw new SourceError(kind, 'no');
    };
    assert.equal(await ifReadable(async () => 'a', 'b'), 'a');
    assert.equal(await ifReadable(fails('skip'), 'b'), 'b');
    await assert.rejects(ifReadable(fails('transient'), 'b'), { kind: 'transient' });
  });
});

/** Tests the order of items, links and sweeps, by pages that are given one by one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { RequestFailure } from '../../net/request.ts';
import { remove, type SourceItem, stub } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { pullAll } from './delta.ts';
import { pullChanges } from './delta-changes.ts';
import { DeltaCursor } from './delta-cursor.ts';
import type { DeltaPart, DeltaReader } from './delta-pages.ts';

const Item = z.object({ id: z.string(), deleted: z.boolean().optional() });
type Item = z.infer<typeof Item>;

const gone = new SourceError('outdated', 'resync required');
const item = (id: string): Item => ({ id });
const page = (ids: readonly string[], next: string | null, end?: string) => ({
  value: ids.map((id) => (id.startsWith('-') ? { id: id.slice(1), deleted: true } : item(id))),
  ...(next !== null && { '@odata.nextLink': next }),
  ...(end !== undefined && { '@odata.deltaLink': end }),
});

/** Answers each path with a page or an error. A deletion is vague when its id begins with a v. */
function reader(pages: Readonly<Record<string, object>>): DeltaReader<DeltaPart, Item> {
  return {
    http: {
      async json({ path }: { readonly path: string }, schema: z.ZodType) {
        const answer = pages[path];
        if (answer === undefined || answer instanceof Error) throw answer ?? new Error(path);
        return { value: schema.parse(answer), headers: new Headers() };
      },
      checkAddress: () => {},
    } as unknown as Http,
    headers: [],
    item: Item,
    async *read({ partition }, items, reason) {
      for (const { id, deleted } of items)
        yield deleted
          ? remove(id)
          : stub(id, 'X', { version: '1', partition, isAgain: reason !== 'listing' });
    },
    isVague: ({ id, deleted }) => deleted === true && id.startsWith('v'),
  };
}

const PARTS = [
  { partition: 'a', path: 'a' },
  { partition: 'b', path: 'b' },
];
/** Records move between these parts. */
const MOVING = PARTS.map((part) => ({ ...part, space: 's' }));
const inSpace = (
  pages: Readonly<Record<string, object>>,
  now: readonly string[] = ['a', 'b'],
): DeltaReader<DeltaPart, Item> => ({
  ...reader(pages),
  partsIn: async () => now.map((name) => ({ partition: name, path: name, space: 's' })),
});
const cursorOf = (links: Record<string, string>) => ({ links, names: {}, memory: {} });

/** Writes each item as a short text: +x is a record, ++x one that is read in any case, and -x a removal. */
async function said(items: AsyncIterable<SourceItem>): Promise<string[]> {
  const all: string[] = [];
  for await (const one of items)
    if (one.kind === 'stub') all.push(`${one.isAgain ? '++' : '+'}${one.id}`);
    else if (one.kind === 'remove') all.push(`-${one.id}`);
    else if (one.kind === 'listed') all.push(`listed ${one.partition}`);
    else if (one.kind === 'lost') all.push(`lost ${one.partition}`);
    else if (one.kind === 'checkpoint')
      all.push(`links ${Object.values((one.cursor as { links: object }).links).join(' ')}`.trim());
    else if (one.kind === 'bookmark') all.push('bookmark');
  return all;
}
const full = (pages: Readonly<Record<string, object>>, links?: Record<string, string>) =>
  said(
    pullAll(reader(pages), PARTS, {
      lastCursor: links ? cursorOf(links) : null,
      bookmark: null,
    }),
  );
const changes = (pages: Readonly<Record<string, object>>, links: Record<string, string>) =>
  said(pullChanges(reader(pages), PARTS, { cursor: cursorOf(links) }));

describe('a full pull of parts with deltas', () => {
  it('reads all records again when nothing is known of a feed', async () => {
    assert.deepEqual(
      await full({ a: page(['1'], 'a2'), a2: page(['2'], null, 'A'), b: page([], null, 'B') }),
      [
        ...['++1', 'bookmark', '++2', 'bookmark', 'listed a', 'bookmark'],
        ...['bookmark', 'listed b', 'bookmark', 'links A B'],
      ],
    );
  });

  it('follows the feed after the listing, and goes on behind it', async () => {
    const pages = {
      a: page(['1', '2'], null, 'A1'),
      A: page(['2'], 'A+'),
      'A+': page(['-1'], null, 'A2'),
      b: page([], null, 'B1'),
      B: page([], null, 'B2'),
    };
    assert.deepEqual(await full(pages, { a: 'A', b: 'B' }), [
      ...['+1', '+2', 'bookmark', '++2', '-1', 'listed a', 'bookmark'],
      ...['bookmark', 'listed b', 'bookmark', 'links A2 B2'],
    ]);
  });

  it('follows what has changed since its first listing began, also when it goes on at its bookmark', async () => {
    const pages = {
      now: page([], null, 'A'),
      a: page(['1'], 'a2'),
      a2: page(['2'], null, 'A1'),
      A: page(['1', '-2'], null, 'A2'),
    };
    const parts = [{ partition: 'a', path: 'a', latestPath: 'now' }];
    const pull = (place: unknown, known: Readonly<Record<string, object>> = pages) =>
      pullAll(reader(known), parts, { lastCursor: null, bookmark: place });
    const rest = ['++2', 'bookmark', '++1', '-2', 'listed a', 'bookmark', 'links A2'];
    assert.deepEqual(await said(pull(null)), ['++1', 'bookmark', ...rest]);
    for await (const one of pull(null)) {
      if (one.kind !== 'bookmark') continue;
      const { now: _, ...later } = pages;
      assert.deepEqual(await said(pull(JSON.parse(JSON.stringify(one.position)), later)), rest);
      break;
    }
  });

  it('reads all records of a part again whose feed is lost, and of no other', async () => {
    const pages = {
      a: page(['1'], null, 'A1'),
      A: gone,
      b: page(['2'], null, 'B1'),
      B: page([], null, 'B2'),
    };
    assert.deepEqual(await full(pages, { a: 'A', b: 'B' }), [
      ...['+1', 'bookmark', 'bookmark', '++1', 'listed a', 'bookmark'],
      ...['+2', 'bookmark', 'listed b', 'bookmark', 'links A1 B2'],
    ]);
  });

  it('meets a vague change again in the next pull', async () => {
    const pages = {
      a: page(['1', '2'], null, 'A1'),
      A: page(['1', '-v'], null, 'A2'),
      b: page([], null, 'B'),
    };
    const items = await full(pages, { a: 'A' });
    assert.equal(items.at(-1), 'links A B');
  });

  it('goes on at its bookmark', async () => {
    const pages = {
      a: page(['1'], 'a2'),
      a2: page(['2'], null, 'A1'),
      A: page(['3'], null, 'A2'),
      b: page([], null, 'B1'),
      B: gone,
    };
    const lastCursor = cursorOf({ a: 'A', b: 'B' });
    const marks: unknown[] = [];
    for await (const one of pullAll(reader(pages), PARTS, { lastCursor, bookmark: null }))
      if (one.kind === 'bookmark') marks.push(JSON.parse(JSON.stringify(one.position)));
    const rest = (n: number) =>
      said(pullAll(reader(pages), PARTS, { lastCursor, bookmark: marks[n] }));
    assert.deepEqual((await rest(0)).slice(0, 3), ['+2', 'bookmark', '++3']);
    assert.deepEqual((await rest(1)).slice(0, 2), ['++3', 'listed a']);
    const end = ['listed b', 'bookmark', 'links A2 B1'];
    assert.deepEqual(await rest(2), ['bookmark', 'bookmark', ...end]);
    assert.deepEqual(await rest(3), ['bookmark', ...end]);
    assert.deepEqual(await rest(4), end);
    assert.deepEqual(await rest(5), ['links A2 B1']);
  });

  it('keeps a part that may not be listed or followed, and lists the others', async () => {
    const forbidden = new SourceError('skip', 'forbidden');
    const pages = { a: forbidden, b: page(['3'], null, 'B1'), B: page([], null, 'B2') };
    assert.deepEqual(await full(pages), [
      ...['lost a', 'bookmark'],
      ...['++3', 'bookmark', 'listed b', 'bookmark', 'links B1'],
    ]);
    assert.deepEqual(await full({ ...pages, a: page([], null, 'A1'), A: forbidden }, { a: 'A' }), [
      ...['bookmark', 'lost a', 'bookmark'],
      ...['++3', 'bookmark', 'listed b', 'bookmark', 'links B1'],
    ]);
  });

  it('remembers a part that it could not look for, and one that went between two attempts', async () => {
    const unseen = [
      { kind: 'lost', partition: 'z', error: new SourceError('skip', 'closed') } as const,
    ];
    const lastCursor = { links: { 'z/y': 'Z', 'x/y': 'X' }, names: { 'z/w': 'w' }, memory: {} };
    const pages = { a: page(['1'], 'a2'), b: page([], null, 'B1') };
    let place: unknown;
    for await (const one of pullAll(reader(pages), PARTS, { lastCursor, unseen, bookmark: null })) {
      if (one.kind !== 'bookmark') continue;
      place = JSON.parse(JSON.stringify(one.position));
      break;
    }
    const parts = [PARTS[1]] as DeltaPart[];
    let cursor: unknown;
    for await (const one of pullAll(reader(pages), parts, { lastCursor: null, bookmark: place }))
      if (one.kind === 'checkpoint') cursor = one.cursor;
    const names = { 'z/y': '', 'z/w': '', a: '', b: '' };
    assert.deepEqual(cursor, { links: { b: 'B1' }, names, memory: {} });
    const later = reader({ B1: page([], null, 'B2') });
    const next = pullChanges(later, parts, { cursor: DeltaCursor.parse(cursor) });
    assert.deepEqual((await said(next)).slice(-4), [
      ...['listed z/y', 'listed z/w', 'listed a', 'links B2'],
    ]);
  });

  it('forgets a part that could not be listed and is gone by now', async () => {
    const pages = { a: page([], null, 'A1'), A1: page([], null, 'A2') };
    const cursor = { links: { a: 'A1' }, names: { a: '', b: '' }, memory: {} };
    const parts = [PARTS[0]] as DeltaPart[];
    const items = await said(pullChanges(reader(pages), parts, { cursor }));
    assert.deepEqual(items.slice(-2), ['listed b', 'links A2']);
  });

  it('follows all feeds again at its end when records move between parts, and lists what is lost or new', async () => {
    const pages = {
      a: page([], null, 'A1'),
      b: page(['2'], null, 'B1'),
      A1: page(['1'], null, 'A2'),
      B1: gone,
      c: page(['3'], null, 'C1'),
      C1: page([], null, 'C2'),
    };
    const options = { lastCursor: null, bookmark: null };
    const items = await said(pullAll(inSpace(pages, ['a', 'b', 'c']), MOVING, options));
    assert.deepEqual(items.slice(-6), [
      ...['bookmark', '++3', 'listed c', '++1', '++2', 'links A2 C2'],
    ]);
  });

  it('lists a part again in the next pull whose feed was lost at its end, and deletes what is gone', async () => {
    const listings = [page(['2', '3'], null, 'B1'), page(['2'], null, 'B2')];
    const pages = {
      a: page([], null, 'A1'),
      get b() {
        return listings.shift() ?? page(['2'], null, 'B3');
      },
      A1: page([], null, 'A2'),
      A2: page([], null, 'A3'),
      A3: page([], null, 'A4'),
      B1: gone,
      B2: page([], null, 'B2'),
      B3: page([], null, 'B4'),
    };
    const items = pullAll(inSpace(pages), MOVING, { lastCursor: null, bookmark: null });
    let stored: SourceItem | undefined;
    for await (const item of items) stored = item;
    assert.ok(stored?.kind === 'checkpoint');
    const cursor = DeltaCursor.parse(stored.cursor);
    const next = await said(pullChanges(inSpace(pages), MOVING, { cursor }));
    assert.deepEqual(next.slice(-4), ['++2', 'listed b', 'links A4 B4', 'links A4 B4']);
  });

  it('meets a vague change again that its end has met', async () => {
    const pages = {
      a: page(['v1'], null, 'A1'),
      b: page(['2'], null, 'B1'),
      A1: page(['-v1'], null, 'A2'),
      B1: page([], null, 'B2'),
    };
    const options = { lastCursor: null, bookmark: null };
    const items = await said(pullAll(inSpace(pages), MOVING, options));
    assert.deepEqual(items.slice(-2), ['-v1', 'links A1 B2']);
  });

  it('follows no part at its end that could not be listed, or that is gone by then', async () => {
    const pages = {
      a: new SourceError('skip', 'forbidden'),
      b: page(['2'], null, 'B1'),
    };
    const options = { lastCursor: null, bookmark: null };
    const items = await said(pullAll(inSpace(pages, ['a']), MOVING, options));
    assert.deepEqual(items.slice(-4), ['bookmark', 'listed b', 'bookmark', 'links B1']);
  });

  it('asks for a page that is too large again in smaller pages', async () => {
    const tooLarge = new SourceError('fatal', 'too large', {
      cause: new RequestFailure('too_large', 'more than 32 MB'),
    });
    const sizes: string[] = [];
    const one = reader({ a: page(['1'], null, 'A'), b: page([], null, 'B') });
    const http = {
      ...one.http,
      json(request: { path: string; headers: { size: string } }, schema: z.ZodType) {
        sizes.push(request.headers.size);
        if (request.path === 'a' && request.headers.size !== '1') throw tooLarge;
        return one.http.json(request, schema);
      },
    } as unknown as Http;
    const headers = [{ size: '100' }, { size: '10' }, { size: '1' }];
    const options = { lastCursor: null, bookmark: null };
    const items = await said(pullAll({ ...one, http, headers }, PARTS, options));
    assert.deepEqual([items[0], items.at(-1)], ['++1', 'links A B']);
    assert.deepEqual(sizes, ['100', '10', '1', '100']);
    await assert.rejects(
      said(pullAll({ ...one, http, headers: headers.slice(0, 2) }, PARTS, options)),
      tooLarge,
    );
  });

  it('ends at a page without links, and at one that comes again', async () => {
    const refuses = (pages: Readonly<Record<string, object>>, says: RegExp) =>
      assert.rejects(full(pages), says);
    await refuses({ a: page(['1'], null) }, /without a link to later changes/);
    await refuses({ a: page(['1'], 'a2'), a2: page([], 'a2') }, /lists in circles/);
  });
});

describe('an incremental pull of parts with deltas', () => {
  it('stores a link only after its page', async () => {
    const pages = {
      A: page(['1'], 'A+'),
      'A+': page(['2'], null, 'A2'),
      B: page([], null, 'B2'),
    };
    assert.deepEqual(await changes(pages, { a: 'A', b: 'B' }), [
      ...['++1', 'links A+ B', '++2', 'links A2 B', 'links A2 B2', 'links A2 B2'],
    ]);
  });

  it('lists only the part whose link is forgotten, also in the middle of its feed', async () => {
    const pages = {
      A: page(['1', '2'], 'A+'),
      'A+': gone,
      a: page(['2', '3'], null, 'A2'),
      B: page([], null, 'B2'),
    };
    assert.deepEqual(await changes(pages, { a: 'A', b: 'B' }), [
      ...['++1', '++2', 'links A+ B', 'links A+ B', '++2', '++3', '-1', 'listed a', 'links A2 B'],
      ...['links A2 B2', 'links A2 B2'],
    ]);
  });

  it('stores no link behind a vague change before the part is listed', async () => {
    const pages = {
      A: page(['-v', '1'], 'A+'),
      'A+': page(['2'], null, 'A2'),
      a: page(['2'], null, 'later'),
      B: page([], null, 'B2'),
    };
    assert.deepEqual(await changes(pages, { a: 'A', b: 'B' }), [
      ...['-v', '++1', '++2', 'links A B', '+2', '-v', '-1', 'listed a', 'links A2 B'],
      ...['links A2 B2', 'links A2 B2'],
    ]);
  });

  it('lists a new part and one with another name, and forgets one that is gone', async () => {
    const pages = {
      a: page(['1'], null, 'A'),
      b: page(['2'], null, 'later'),
      old: page(['-3'], null, 'B'),
    };
    const parts = [PARTS[0], { ...PARTS[1], name: 'new' }] as DeltaPart[];
    const cursor = {
      links: { b: 'old', 'x/y': 'X', 'z/y': 'Z', 'z2/y': 'Z2' },
      names: { b: 'old' },
      memory: {},
    };
    const unseen = [
      { kind: 'lost', partition: 'z', error: new SourceError('skip', 'closed') } as const,
    ];
    assert.deepEqual(await said(pullChanges(reader(pages), parts, { cursor, unseen })), [
      ...['links old X Z Z2', '++1', 'listed a', 'links old X Z Z2 A'],
      ...['-3', 'links B X Z Z2 A', 'links B X Z Z2 A', '++2', 'links B X Z Z2 A'],
      ...['listed x/y', 'listed z2/y', 'links B Z A'],
    ]);
  });

  it('goes on before the listing of a part, where Graph gives such a link', async () => {
    const parts = [{ partition: 'a', path: 'a', latestPath: 'now' }];
    const pages = { now: page([], null, 'A'), a: page(['1'], null, 'A1') };
    const items = pullChanges(reader(pages), parts, { cursor: cursorOf({}) });
    assert.deepEqual((await said(items)).at(-1), 'links A');
  });

  it('forgets a part with another name that is gone before it has been read again', async () => {
    const renamed = [{ ...PARTS[1], name: 'new' }] as DeltaPart[];
    const from = { links: { b: 'old' }, names: { b: 'before' }, memory: {} };
    let cursor: unknown;
    const refused = reader({ old: new SourceError('skip', 'not found') });
    for await (const one of pullChanges(refused, renamed, { cursor: from }))
      if (one.kind === 'checkpoint') cursor = one.cursor;
    assert.deepEqual(cursor, from);
    const next = { cursor: DeltaCursor.parse(cursor) };
    assert.deepEqual(await said(pullChanges(reader({}), [], next)), ['listed b', 'links']);
  });

  it('meets a record that moves before its part is listed again, before anything is deleted', async () => {
    const pages = {
      A: page([], null, 'A2'),
      B: gone,
      b: page(['2'], null, 'B2'),
      A2: page(['1'], null, 'A3'),
      B2: page(['3'], null, 'B3'),
    };
    const pull = (now: Readonly<Record<string, object>>, parts?: readonly string[]) =>
      said(
        pullChanges(inSpace({ ...pages, ...now }, parts), MOVING, {
          cursor: cursorOf({ a: 'A', b: 'B' }),
        }),
      );
    const read = ['links A2 B', 'links A2 B', '++2'];
    assert.deepEqual(await pull({}), [
      ...[...read, '++1', '++3', 'listed b', 'links A3 B3', 'links A3 B3'],
    ]);
    // The next pull lists the part again, because the record may be in a part of which this pull knows nothing.
    assert.deepEqual(await pull({ A2: gone }), [...read, '++3', 'links A2 B']);
    assert.deepEqual(await pull({}, ['a', 'b', 'c']), [...read, 'links A2 B']);
  });

  it('removes what a lost feed has told and no other part has', async () => {
    const pages = {
      A: page(['1', '2', '3'], 'A+'),
      'A+': gone,
      a: page(['1'], null, 'A1'),
      B: page([], null, 'B1'),
      A1: page([], null, 'A2'),
      B1: page(['2'], null, 'B2'),
    };
    const cursor = cursorOf({ a: 'A', b: 'B' });
    const items = await said(pullChanges(inSpace(pages), MOVING, { cursor }));
    assert.deepEqual(items.slice(-7), [
      ...['++1', 'links A+ B1', '++2', '-3', 'listed a', 'links A2 B2', 'links A2 B2'],
    ]);
  });

  it('sweeps no part that was renamed, because its feed tells what is gone', async () => {
    const pages = {
      A: page(['-1'], null, 'A2'),
      a: page(['2'], null, 'later'),
      B: page([], null, 'B2'),
    };
    const parts = MOVING.map((part) => ({ ...part, name: part.partition === 'a' ? 'new' : '' }));
    const cursor = cursorOf({ a: 'A', b: 'B' });
    const items = await said(pullChanges(inSpace(pages), parts, { cursor }));
    assert.deepEqual(items, [
      ...['-1', 'links A2 B', 'links A2 B', '++2', 'links A2 B', 'links A2 B2', 'links A2 B2'],
    ]);
  });
});

describe('a pull of 1,000 parts', () => {
  const parts = Array.from({ length: 1000 }, (_, i) => ({ partition: `p${i}`, path: `p${i}` }));
  const forAll = <Value>(of: (i: number) => readonly [key: string, value: Value]) =>
    Object.fromEntries(parts.map((_, i) => of(i)));
  const linksOf = (sign: string) => forAll((i) => [`p${i}`, `${sign}${i}`]);

  it('writes its links, of which each part has one, a few times and not after each part', async () => {
    const feeds = forAll((i) => [`A${i}`, page([], null, `B${i}`)]);
    const cursor = cursorOf(linksOf('A'));
    const followed = await said(pullChanges(reader(feeds), parts, { cursor }));
    assert.equal(followed.length, 21);
    assert.equal(followed.at(-1), `links ${Object.values(linksOf('B')).join(' ')}`);
    const listings = forAll((i) => [`p${i}`, page([], null, `A${i}`)]);
    const all = await said(pullAll(reader(listings), parts, { lastCursor: null, bookmark: null }));
    assert.ok(all.filter((one) => one === 'bookmark').length <= 60, String(all.length));
    assert.equal(all.at(-1), `links ${Object.values(linksOf('A')).join(' ')}`);
  });
});

/** Tests lists whose pages are only counted. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { counted } from './counted.ts';

const idOf = (item: string) => item;

/** Serves pages of two items; `happen` runs before the request with this number. */
function listOf(items: string[], { tellsEnd = false, happen = (_: number) => {} } = {}) {
  let requests = 0;
  const get = async (page: number) => {
    happen(requests++);
    const shown = items.slice(page * 2, page * 2 + 2);
    return { items: shown, ...(tellsEnd && { isLast: page * 2 + 2 >= items.length }) };
  };
  return { get, requests: () => requests };
}

it('reads a list of one page once, when the service says that it is the last one', async () => {
  const list = listOf(['a', 'b'], { tellsEnd: true });
  assert.deepEqual(await counted(list.get, idOf), ['a', 'b']);
  assert.equal(list.requests(), 1);
});

it('reads a list of several pages twice', async () => {
  const list = listOf(['a', 'b', 'c'], { tellsEnd: true });
  assert.deepEqual(await counted(list.get, idOf), ['a', 'b', 'c']);
  assert.equal(list.requests(), 4);
});

it('ends at an empty page, and misses no item that slips to an earlier page', async () => {
  const items = ['a', 'b', 'c'];
  const list = listOf(items, { happen: (n) => n === 1 && items.shift() });
  assert.deepEqual(await counted(list.get, idOf), ['b', 'c']);
});

it('gives up on a list that never holds still', async () => {
  const items = ['a', 'b', 'c', 'd'];
  const list = listOf(items, { happen: () => items.unshift(String(items.length)) });
  const isTransient = (error: unknown) =>
    error instanceof SourceError && error.kind === 'transient';
  // Each reading sees one item more, and ends because the list ends.
  const get = async (page: number) => ({ ...(await list.get(page)), isLast: page === 1 });
  await assert.rejects(counted(get, idOf), isTransient);
});

it('ends with an error when the service gives the same page again and again', async () => {
  let requests = 0;
  const get = async () => {
    assert.ok(requests++ < 50, 'the list is read for ever');
    return { items: ['a', 'b'] };
  };
  await assert.rejects(counted(get, idOf), { kind: 'fatal' });
});

it('reads a list again in which a page comes twice because a whole page of new items came', async () => {
  const items = ['c', 'd', 'e'];
  const list = listOf(items, { happen: (n) => n === 1 && items.unshift('a', 'b') });
  assert.deepEqual(await counted(list.get, idOf), ['a', 'b', 'c', 'd', 'e']);
});

it('ends with an error when a list of ever new items has no end', async () => {
  const get = async (page: number) => ({ items: [String(page)] });
  await assert.rejects(counted(get, idOf), { kind: 'fatal' });
});

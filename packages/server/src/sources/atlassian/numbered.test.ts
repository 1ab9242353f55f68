import assert from 'node:assert/strict';
import { it } from 'node:test';
import { numbered } from './numbered.ts';

const ITEMS = ['a', 'b', 'c', 'd', 'e'];
const SIZE = 2;
const pageAt = (startAt: number) => ({ values: ITEMS.slice(startAt, startAt + SIZE), startAt });

it('reads a list again when the service answers with the page of another request', async () => {
  let asked = 0;
  const all = await numbered(
    async (startAt) => pageAt(asked++ === 0 ? ITEMS.length - 1 : startAt),
    (item) => item,
  );
  assert.deepEqual(all, ITEMS);
});

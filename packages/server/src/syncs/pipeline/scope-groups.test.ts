import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { remove, upsert } from '../../sources/items.ts';
import { inScope, membersInScope, scopeOfGroups } from './scope-groups.ts';

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};
async function* list<T>(...items: T[]) {
  yield* items;
}
const doc = (viewers: string[] | null) =>
  upsert({
    id: 'a',
    type: 'T',
    name: 'a',
    text: '',
    fields: {},
    access: { viewers, isPublic: false },
  });
const scope = async () => scopeOfGroups('drive', 'acme.example');

describe('the groups of a cloud source', () => {
  it('[ENT-17] have the source and its account in their names, in records and in memberships', async () => {
    const items = await collect(
      inScope(
        list(doc(['user:ann', 'group:x', 'group:drive/acme.example/y', 'group:drive/other/z'])),
        scope,
      ),
    );
    assert.deepEqual(
      items.map((item) => item.entity.access?.viewers),
      [
        [
          'user:ann',
          'group:drive/acme.example/x',
          'group:drive/acme.example/y',
          // This group of another account stays apart from the groups of this one.
          'group:drive/acme.example/drive/other/z',
        ],
      ],
    );
    const members = list(
      { group: 'group:x', member: 'user:ann' },
      { group: 'group:x', member: 'group:y' },
    );
    assert.deepEqual(await collect(membersInScope(members, scope)), [
      { group: 'group:drive/acme.example/x', member: 'user:ann' },
      { group: 'group:drive/acme.example/x', member: 'group:drive/acme.example/y' },
    ]);
  });

  it('need no account when no record names a group', async () => {
    const asked = () => Promise.reject(new Error('nobody needs the account'));
    const items = [doc(['user:ann']), doc(null), remove('b')];
    assert.deepEqual(await collect(inScope(list(...items), asked)), items);
  });
});

/** Tests which folders are above a record. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { type FolderAbove, openFolders } from './folders.ts';
import { NotFound } from './refusal.ts';

/** Opens folders that lie in the folder of the given name, and notes which are asked for. */
function opened(parents: Readonly<Record<string, string | undefined>>) {
  const asked: string[] = [];
  const folders = openFolders('Folder', async (id): Promise<FolderAbove | null> => {
    asked.push(id);
    if (id === 'root') return null;
    if (!Object.hasOwn(parents, id)) throw new NotFound('skip', id);
    return { name: id.toUpperCase(), parent: parents[id] };
  });
  const above = async (parent: string | undefined) =>
    (await folders.above(parent)).map(({ name }) => name);
  return { asked, folders, above };
}

describe('the folders above a record', () => {
  it('come from the root to the parent, and each is asked for once', async () => {
    const { asked, folders, above } = opened({ a: 'root', b: 'a', c: 'b' });
    assert.deepEqual(await folders.above('b'), [
      { id: 'a', name: 'A', type: 'Folder' },
      { id: 'b', name: 'B', type: 'Folder' },
    ]);
    assert.deepEqual(await above('c'), ['A', 'B', 'C']);
    assert.deepEqual(await above(undefined), []);
    assert.deepEqual(asked, ['b', 'a', 'root', 'c']);
    folders.note('b', { name: 'Renamed', parent: undefined });
    assert.deepEqual(await above('c'), ['Renamed', 'C']);
  });

  it('end at one that the account may not see, and in a loop', async () => {
    const { above } = opened({ a: 'closed', b: 'b' });
    assert.deepEqual(await above('a'), ['A']);
    assert.equal((await above('b')).length, 200);
  });

  it('are asked for again after a failure, which is never taken for the end', async () => {
    let fails = true;
    const folders = openFolders('Folder', async (id) => {
      if (fails) throw new SourceError('transient', id);
      return { name: id, parent: undefined };
    });
    await assert.rejects(folders.above('a'), { kind: 'transient' });
    fails = false;
    assert.equal((await folders.above('a')).length, 1);
  });
});

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { filesFolder } from '../../test/documents/files-folder.ts';
import { suggestFolders } from './folders.ts';

describe('the folders that are suggested', () => {
  const folder = filesFolder();
  const { write } = folder;

  const suggest = (query = '', more: object = {}) =>
    suggestFolders(
      {
        home: join(folder.root, 'home'),
        current: join(folder.root, 'work'),
        query,
        mostCounted: 20,
      },
      { ...folder.context(), ...more },
    );

  it('are the current one and those at home, with the number of files that a sync reads', async () => {
    for (const path of ['a.md', 'b.md', 'node_modules/x/index.js', '.env'])
      await write(`home/Documents/${path}`);
    await write('home/.cache/c.md');
    await write('home/loose.md');
    await write('work/one.md');
    assert.deepEqual(
      (await suggest()).map(({ title, description }) => [title, description]),
      [
        ['work', '1 file'],
        ['Documents', '2 files'],
      ],
    );
  });

  it('are those at a path that somebody types', async () => {
    await write('home/Documents/letters/a.md');
    await write('home/Documents/lists/b.md');
    const documents = join(folder.root, 'home/Documents');
    const both = [join(documents, 'letters'), join(documents, 'lists')];
    for (const query of [`${documents}/`, `${documents}/le`])
      assert.deepEqual(
        (await suggest(query)).map(({ value }) => value),
        both,
      );
    assert.deepEqual(await suggest('/nowhere/at/all'), []);
  });

  it('[CON-41] are only those that the installation may read', async () => {
    await write('home/Documents/a.md');
    await mkdir(join(folder.root, 'work'));
    const allowPath = async (path: string) => {
      if (path.includes('Documents')) throw new SourceError('config', 'not below the roots');
      return path;
    };
    assert.deepEqual(
      (await suggest('', { allowPath })).map(({ title }) => title),
      ['work'],
    );
  });

  it('are not counted to the end when there are very many files', async () => {
    await Promise.all(Array.from({ length: 22 }, (_, i) => write(`work/${i}.md`)));
    assert.deepEqual(
      (await suggest()).map(({ description }) => description),
      ['more than 20 files'],
    );
  });
});

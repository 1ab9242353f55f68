/**
 * In these tests, the data directory of Quarry lies in the folder of the source. No file of the data directory may be
 * read, under any name.
 */
import assert from 'node:assert/strict';
import { link, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { bindMount } from '../../test/bind-mount.ts';
import { filesFolder, leftOut, stubsOf } from '../../test/documents/files-folder.ts';
import { ownFiles } from '../own-files.ts';

const OWN_FILE = [
  'part of the data directory of Quarry',
  'it is never read, even if include names it',
];
describe('the data directory in a folder that is read', () => {
  const folder = filesFolder();
  const { context, hydrate, pull, write } = folder;
  const at = (path: string) => join(folder.root, path);
  const environment = { ownFiles: () => ownFiles(at('state')) };
  const ids = (items: Awaited<ReturnType<typeof pull>>) => stubsOf(items).map(({ id }) => id);

  beforeEach(async () => {
    for (const path of ['a.md', 'state/plain.md', 'state/inner/plain.md', 'sub/b.md'])
      await write(path);
  });

  it('[CON-41] is left out with a reason', async () => {
    const items = await pull(environment);
    assert.deepEqual(ids(items), ['a.md', 'sub/b.md']);
    assert.deepEqual(leftOut(items), [['skip', 'state', ...OWN_FILE]]);
    assert.ok(items.every((item) => item.kind !== 'listed' || !item.partition.includes('state')));
  });

  it('[CON-41] is left out, whatever include names', async () => {
    const include = ['*', 'state/', 'state/plain.md', '/state/**'];
    const items = await pull({ ...environment, config: { include } });
    assert.deepEqual(ids(items), ['a.md', 'sub/b.md']);
  });

  it('[CON-41] is recognized behind links, and its files behind hard links', async () => {
    await symlink('state', at('link'));
    await symlink('state/inner', at('link-in'));
    await symlink('state/plain.md', at('link.md'));
    await link(at('state/plain.md'), at('sub/hard.md'));
    const items = await pull(environment);
    assert.deepEqual(ids(items), ['a.md', 'sub/b.md']);
    assert.deepEqual(
      leftOut(items),
      ['link', 'link-in', 'link.md', 'state', 'sub/hard.md'].map((id) => ['skip', id, ...OWN_FILE]),
    );
  });

  it('[CON-41] is recognized where it is mounted, and so are its files', (t) =>
    bindMount(t, at('state'), at('mounted'), () =>
      bindMount(t, at('state/inner'), at('mounted-part'), () =>
        bindMount(t, at('state/plain.md'), at('mounted.md'), async () => {
          const items = await pull(environment);
          assert.deepEqual(ids(items), ['a.md', 'sub/b.md']);
          assert.deepEqual(
            leftOut(items)
              .map(([, id]) => id)
              .sort(),
            ['mounted', 'mounted-part', 'mounted.md', 'state'],
          );
        }),
      ),
    ));

  it('[CON-41] is not read in place of a file that was listed', async () => {
    const stubs = stubsOf(await pull(environment));
    await rm(at('a.md'));
    await link(at('state/plain.md'), at('a.md'));
    await rename(at('sub'), at('sub-before'));
    await symlink('state', at('sub'));
    await link(at('state/plain.md'), at('state/b.md'));
    const read = await hydrate(stubs, context(environment));
    assert.deepEqual(leftOut(read), [
      ['skip', 'a.md', ...OWN_FILE],
      ['skip', 'sub/b.md', ...OWN_FILE],
    ]);
  });
});

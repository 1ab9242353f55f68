/**
 * The folders in these tests are like those of real users. The tests check which files are left out by default, and how
 * they are reported.
 */
import assert from 'node:assert/strict';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { filesFolder, leftOut, stubsOf } from '../../test/documents/files-folder.ts';
import {
  OTHER_FILES,
  OTHER_FOLDERS,
  SECRET_FILES,
  SECRET_FOLDERS,
} from '../../test/documents/left-out-names.ts';

describe('the files left out of a folder by default', () => {
  const folder = filesFolder();
  const { context, hydrate, ids, pull, write } = folder;
  const at = (path: string) => join(folder.root, path);
  const told = async (options?: Parameters<typeof pull>[0]) =>
    leftOut(await pull(options)).map(([, id, reason]) => [id, reason]);

  it('[CON-41] are every file of the lists, and each listed folder once, at any place', async () => {
    const files = [...SECRET_FILES, ...OTHER_FILES];
    const folders = [...SECRET_FOLDERS, ...OTHER_FOLDERS];
    const places = files.map((name, i) => `${['', 'sub/', 'deep/er/'][i % 3]}f${i}/${name}`);
    for (const path of places) await write(path);
    for (const [i, name] of folders.entries()) {
      await write(`d${i}/${name}/a.md`);
      await write(`d${i}/${name}/b/c.md`);
    }
    await write('note.md');
    const items = await pull();
    assert.deepEqual(
      stubsOf(items).map(({ id }) => id),
      ['note.md'],
    );
    const expected = [...places, ...folders.map((name, i) => `d${i}/${name}`)];
    // `secrets/x.json` is a single name of the lists that contains a folder.
    assert.deepEqual(
      leftOut(items)
        .map(([kind, id]) => [kind, id])
        .sort(),
      expected.map((id) => ['skip', id]).sort(),
    );
  });

  it('[CON-41] are the secrets, dependencies and build output of a project without a .gitignore', async () => {
    for (const path of [
      '.env',
      '.ssh/id_rsa',
      '.ssh/config',
      'README.md',
      'app/package.json',
      'app/build/index.html',
      'app/node_modules/a/README.md',
      'app/node_modules/a/node_modules/b/README.md',
      'docs/build/windows.md',
      'notes/dist/debian.md',
      'tool/Cargo.toml',
      'tool/target/debug/out.txt',
      'tool/vendor/x/README.md',
      'py/env/pyvenv.cfg',
      'py/env/lib/x.txt',
      'site/mkdocs.yml',
      'site/site/index.html',
    ])
      await write(path);
    assert.deepEqual(await ids(), [
      'README.md',
      'app/package.json',
      'docs/build/windows.md',
      'notes/dist/debian.md',
      'site/mkdocs.yml',
      'tool/Cargo.toml',
    ]);
    assert.deepEqual(await told(), [
      ['.env', 'left out as secrets'],
      ['.ssh', 'left out as secrets'],
      ['app/build', 'left out as build output'],
      ['app/node_modules', 'left out as dependencies'],
      ['py/env', 'left out as a virtual environment'],
      ['site/site', 'left out as build output'],
      ['tool/target', 'left out as build output'],
      ['tool/vendor', 'left out as dependencies'],
    ]);
  });

  it('[CON-41] are folders with a valid cache tag, and no folders that only have a file of that name', async () => {
    await write('cache/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55\n# more');
    await write('cache/a.md');
    await write('no-cache/CACHEDIR.TAG', 'Signature: another');
    await write('no-cache/a.md');
    await write('link/a.md');
    await symlink('../cache/CACHEDIR.TAG', at('link/CACHEDIR.TAG'));
    await write('folder/CACHEDIR.TAG/a.md');
    assert.deepEqual(await told(), [['cache', 'left out as a cache']]);
    const include = ['*', 'cache/'];
    assert.ok((await ids({ config: { include } })).includes('cache/a.md'));
  });

  it('[CON-41] are only secrets and listed names within the folder of the source, not this folder itself', async () => {
    await write('node_modules/package.json');
    await write('node_modules/dist/README.md');
    await write('node_modules/pyvenv.cfg');
    await write('node_modules/id_rsa');
    const config = { path: at('node_modules') };
    assert.deepEqual(await ids({ config }), ['package.json', 'pyvenv.cfg']);
    assert.deepEqual(await told({ config }), [
      ['id_rsa', 'left out as secrets'],
      ['dist', 'left out as build output'],
    ]);
  });

  it('[CON-41] are all files of a folder of secrets, even if it is the folder of the source or contains it', async () => {
    await write('.aws/credentials');
    await write('.aws/config');
    await write('.aws/sso/cache.txt');
    await symlink('.aws', at('harmless'));
    for (const path of ['.aws', 'harmless', '.aws/sso']) {
      const config = { path: at(path) };
      assert.deepEqual(await ids({ config }), [], path);
      assert.ok((await told({ config })).every(([, reason]) => reason === 'left out as secrets'));
    }
    assert.deepEqual(await told({ config: { path: at('.aws') } }), [
      ['config', 'left out as secrets'],
      ['credentials', 'left out as secrets'],
      ['sso', 'left out as secrets'],
    ]);
    const config = { path: at('.aws'), include: ['config'] };
    assert.deepEqual(await ids({ config }), ['config']);
  });

  it('[CON-41] are links with such a name, or to such a file', async () => {
    await write('.env');
    await write('.ssh/plain.txt');
    await write('node_modules/a/README.md');
    await write('notes.txt');
    const links = {
      'one.txt': '.env',
      'two.txt': 'one.txt',
      'three.txt': '.ssh/plain.txt',
      'four.md': 'node_modules/a/README.md',
      id_rsa: 'notes.txt',
      'keys.md': '.ssh',
      '.kube': 'node_modules',
      'five.txt': 'notes.txt',
    };
    for (const [path, target] of Object.entries(links)) await symlink(target, at(path));
    const items = await pull();
    assert.deepEqual(
      stubsOf(items).map(({ id }) => id),
      ['five.txt', 'notes.txt'],
    );
    const link = 'a link to a file that is left out';
    assert.deepEqual(leftOut(items), [
      ['skip', '.env', 'left out as secrets', 'environment variables'],
      ['skip', '.kube', 'left out as secrets', 'passwords and tokens'],
      ['skip', 'four.md', link, 'packages that a package manager has fetched'],
      ['skip', 'id_rsa', 'left out as secrets', 'keys'],
      ['skip', 'keys.md', 'a link to a folder, which is not followed'],
      ['skip', 'one.txt', link, 'environment variables'],
      ['skip', 'three.txt', link, 'keys'],
      ['skip', 'two.txt', link, 'environment variables'],
      ['skip', '.ssh', 'left out as secrets', 'keys'],
      [
        'skip',
        'node_modules',
        'left out as dependencies',
        'packages that a package manager has fetched',
      ],
    ]);
    const named = { include: ['*', '.env', 'id_rsa', '.ssh/plain.txt'] };
    assert.deepEqual(await ids({ config: named }), [
      '.env',
      'five.txt',
      'id_rsa',
      'notes.txt',
      'one.txt',
      'three.txt',
      'two.txt',
      '.ssh/plain.txt',
    ]);
  });

  it('[CON-41] are read when include names them, and no others in the same folder', async () => {
    for (const path of ['.env', 'a.md', 'node_modules/b/c.md', 'node_modules/left-pad/index.js'])
      await write(path);
    const config = { include: ['*', '.env*', 'node_modules/left-pad/'] };
    assert.deepEqual(await ids({ config }), ['.env', 'a.md', 'node_modules/left-pad/index.js']);
    assert.deepEqual(await told({ config }), [['node_modules', 'left out as dependencies']]);
  });

  it('[CON-41] are files that were replaced by a link to a secret after their folder was listed', async () => {
    await write('a.md');
    await write('sub/b.md');
    await write('.ssh/b.md');
    const stubs = stubsOf(await pull());
    await rename(at('a.md'), at('.env'));
    await symlink('.env', at('a.md'));
    await rename(at('sub'), at('before'));
    await symlink('.ssh', at('sub'));
    const reason = 'a link to a file that is left out';
    assert.deepEqual(leftOut(await hydrate(stubs)), [
      ['skip', 'a.md', reason, 'environment variables'],
      ['skip', 'sub/b.md', reason, 'keys'],
    ]);
    const named = context({ config: { include: ['*', '.env', '.ssh/b.md'] } });
    const read = await hydrate(stubs, named);
    assert.deepEqual(
      read.map(({ kind }) => kind),
      ['upsert', 'upsert'],
    );
  });
});

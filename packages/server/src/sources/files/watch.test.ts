import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { bindMount } from '../../test/bind-mount.ts';
import { anywhere } from '../../test/environment.ts';
import { until } from '../../test/until.ts';
import type { SourceWatch } from '../watching.ts';
import { networkDriveOf } from './network-drive.ts';
import { createRules } from './rules.ts';
import { concerns, type FolderConfig, watchFolder } from './watch.ts';

describe('watching a folder', () => {
  let top: string;
  let root: string;
  let taken: number;
  let changes: string[];
  const watches: SourceWatch[] = [];

  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), 'quarry-watch-'));
    root = join(top, 'root');
    await mkdir(root);
    taken = 0;
    changes = [];
  });
  afterEach(async () => {
    for (const watch of watches.splice(0)) watch.close();
    assert.equal(taken, 0);
    await rm(top, { recursive: true });
  });

  function open(
    config: Partial<FolderConfig> = {},
    {
      most = 1000,
      device = null,
    }: { readonly most?: number; readonly device?: string | null } = {},
  ): SourceWatch {
    const watch = watchFolder({
      config: { path: root, ...config },
      ...{ allowPath: anywhere.allowPath, ownFiles: anywhere.ownFiles },
      changed: (partition) => changes.push(partition),
      budget: { take: () => taken < most && ++taken > 0, giveBack: () => taken-- },
      device,
    });
    watches.push(watch);
    return watch;
  }
  const save = (path: string) => writeFile(join(root, path), 'text');
  const changed = async (partition: string) => {
    await until(() => changes.includes(partition));
    changes.length = 0;
  };

  it('[CON-40] names the folder in which something has changed', async () => {
    await mkdir(join(root, 'a/b'), { recursive: true });
    const watch = open();
    assert.equal((await watch.renew()).state, 'watching');
    await save('a/b/c.md');
    await changed('a/b');
    await save('d.md');
    await changed('');
  });

  it('[CON-40] watches folders that were made between two renewals, at any depth', async () => {
    const watch = open();
    await watch.renew();
    await mkdir(join(root, 'a/b/c'), { recursive: true });
    await changed('');
    await watch.renew();
    await save('a/b/c/d.md');
    await changed('a/b/c');
  });

  it('[CON-40] watches a folder that took the place of another one of the same name', async () => {
    await mkdir(join(root, 'a/b'), { recursive: true });
    const watch = open();
    await watch.renew();
    for (let i = 0; i < 20; i++) {
      await rm(join(root, 'a'), { recursive: true });
      await mkdir(join(root, 'a/b'), { recursive: true });
      await until(() => changes.length > 0);
      changes.length = 0;
      await watch.renew();
      await save('a/b/c.md');
      await changed('a/b');
      await watch.renew();
    }
  });

  it('[CON-40] notices when its folder is replaced, is gone, or comes back', async () => {
    const watch = open();
    await watch.renew();
    assert.equal(await watch.isInPlace(), true);
    await rename(root, join(top, 'aside'));
    assert.equal(await watch.isInPlace(), false);
    const { state, message } = await watch.renew();
    assert.deepEqual(
      [state, message],
      [
        'away',
        `${root} does not exist. What was read stays. The folder is read again when it is back.`,
      ],
    );
    assert.equal(taken, 0);
    assert.equal(await watch.isInPlace(), true);
    await mkdir(root);
    assert.equal(await watch.isInPlace(), false);
    assert.equal((await watch.renew()).state, 'watching');
    await save('a.md');
    await changed('');
  });

  it('[CON-40] follows a link to another folder', async () => {
    const link = join(top, 'link');
    await symlink(root, link);
    const watch = open({ path: link });
    await watch.renew();
    const other = join(top, 'other');
    await mkdir(other);
    await rm(link);
    await symlink(other, link);
    assert.equal(await watch.isInPlace(), false);
    await watch.renew();
    await writeFile(join(other, 'a.md'), 'text');
    await changed('');
  });

  it('[CON-40] takes the empty folder in which a drive was mounted for a folder that is away', async (t) => {
    const drive = join(top, 'drive');
    await mkdir(drive);
    await writeFile(join(drive, 'a.md'), 'text');
    const { device } = await open({ path: drive }).renew();
    assert.notEqual(device, null);
    const watch = open({}, { device: `not ${device}` });
    const { state, message } = await watch.renew();
    assert.equal(state, 'away');
    assert.match(message ?? '', /is empty, and its files were on another drive/);
    await save('a.md');
    assert.equal((await watch.renew()).state, 'watching');
    await bindMount(t, '/proc', join(top, 'mounted'), async () => {
      const mounted = open({ path: join(top, 'mounted') });
      assert.notEqual((await mounted.renew()).device, device);
    });
  });

  it('[CON-40] an emptied folder on the same drive is still watched', async () => {
    await save('a.md');
    const watch = open();
    await watch.renew();
    await rm(join(root, 'a.md'));
    await changed('');
    assert.equal((await watch.renew()).state, 'watching');
  });

  it('[CON-40] gives all handles back when there are not enough of them', async () => {
    for (const name of ['a', 'b', 'c']) await mkdir(join(root, name));
    const watch = open({}, { most: 3 });
    const { state, message } = await watch.renew();
    assert.equal(state, 'polling');
    assert.match(message ?? '', /^The folder is read every few minutes, because /);
    assert.equal(taken, 0);
    await rm(join(root, 'c'), { recursive: true });
    assert.equal((await watch.renew()).state, 'watching');
    assert.equal(taken, 3);
  });

  it('[CON-40] does not watch what a sync does not read', async () => {
    for (const name of ['node_modules/x', 'drafts', '.git', 'notes'])
      await mkdir(join(root, name), { recursive: true });
    await open({ exclude: ['drafts/'] }).renew();
    assert.equal(taken, 2);
  });

  it('[CON-40] knows which events concern a sync', () => {
    const rules = createRules({ include: ['*.md', 'docs/'], exclude: ['x.md'] });
    const seen = (path: string, type: string) => concerns(rules, path, type);
    assert.equal(seen('a.md', 'change'), true);
    assert.equal(seen('x.md', 'change'), false);
    assert.equal(seen('a.txt', 'change'), false);
    assert.equal(seen('.gitignore', 'change'), true);
    // A new folder may have a name that no pattern for files matches.
    assert.equal(seen('sub', 'change'), false);
    assert.equal(seen('sub', 'rename'), true);
    assert.equal(seen('node_modules', 'rename'), false);
  });

  it('[CON-40] recognizes drives that other machines change', async () => {
    const on = (type: number) => networkDriveOf('/mnt', async () => type);
    assert.deepEqual(
      [await on(0x6969), await on(0xfe534d42), await on(0xfe534d42 | 0), await on(0xef53)],
      ['NFS', 'SMB', 'SMB', null],
    );
    assert.equal(await networkDriveOf('\\\\server\\share'), 'Windows');
    assert.equal(await networkDriveOf(tmpdir()), null);
  });
});

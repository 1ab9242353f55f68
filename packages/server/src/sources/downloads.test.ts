import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openDownloads, removeLeftovers } from './downloads.ts';

describe('downloads', () => {
  let parent = '';
  beforeEach(() => {
    parent = join(mkdtempSync(join(tmpdir(), 'downloads-')), 'data', 'downloads');
  });
  afterEach(() => rmSync(dirname(dirname(parent)), { recursive: true }));

  it('are stored in a folder of their own, which nobody else may read and which is deleted at the end', async () => {
    const [one, other] = [openDownloads(parent), openDownloads(parent)];
    const paths = await Promise.all([one.newPath(), one.newPath(), other.newPath()]);
    for (const path of paths) writeFileSync(path, 'x', { flag: 'wx' });
    assert.equal(dirname(paths[0]!), dirname(paths[1]!));
    assert.notEqual(dirname(paths[0]!), dirname(paths[2]!));
    assert.equal(statSync(dirname(paths[0]!)).mode & 0o077, 0);
    await one.close();
    assert.deepEqual(
      paths.map((path) => existsSync(path)),
      [false, false, true],
    );
    await other.close();
    assert.deepEqual(readdirSync(parent), []);
  });

  it('get no further path after the end', async () => {
    const downloads = openDownloads(parent);
    await downloads.newPath();
    await downloads.close();
    await assert.rejects(downloads.newPath(), /the source is closed/);
    const unused = openDownloads(parent);
    await unused.close();
    await assert.rejects(unused.newPath(), /the source is closed/);
    assert.deepEqual(readdirSync(parent), []);
  });

  it('end without an error when their folder could not be made', async () => {
    const downloads = openDownloads(join(process.execPath, 'downloads'));
    await assert.rejects(downloads.newPath(), { code: 'ENOTDIR' });
    await downloads.close();
  });

  it('create no folder when nothing is downloaded', async () => {
    await openDownloads(parent).close();
    assert.equal(existsSync(parent), false);
  });

  it('of ended processes of this machine are removed, and those of other machines stay', async () => {
    await removeLeftovers(parent);
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    const host = encodeURIComponent(hostname());
    const [gone, own, alive, other, strange] = [
      `${host}-${ended}-abcdef`,
      `${host}-${process.pid}-abcdef`,
      `${host}-${process.ppid}-abcdef`,
      `elsewhere-${ended}-abcdef`,
      'strange',
    ].map((name) => join(parent, name));
    for (const folder of [gone, own, alive, other, strange]) {
      mkdirSync(folder!, { recursive: true });
      writeFileSync(join(folder!, '1'), 'x');
    }
    await removeLeftovers(parent);
    assert.deepEqual(
      [gone, own, alive, other, strange].map((folder) => existsSync(folder!)),
      [false, false, true, true, true],
    );
  });
});

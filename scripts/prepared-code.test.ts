import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepPrepared, prepareCode, preparedCode, type WriteBundle } from './prepared-code.ts';

/** npm gives the files of packages one time of modification. */
const PACKED_AT = 499_162_500;
const INSTALLED = 'node_modules/.package-lock.json';
const DAY_MS = 86_400_000;

describe('the prepared code', () => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) fs.rmSync(folder, { recursive: true });
  });

  /** Makes a project with one source, and a bundle of it. */
  async function project() {
    const root = fs.mkdtempSync(join(tmpdir(), 'quarry-prepared-'));
    folders.push(root);
    const [place, source] = [join(root, 'place'), join(root, 'source.ts')];
    fs.mkdirSync(place);
    for (const folder of ['node_modules', 'packages/server/node_modules'])
      fs.mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['package.json', 'package-lock.json', 'source.ts', INSTALLED])
      fs.writeFileSync(join(root, file), 'old');
    fs.utimesSync(source, PACKED_AT, PACKED_AT);
    const write: WriteBundle = async (folder, willRead) => {
      willRead('a module that the bundler made');
      willRead(source);
      fs.copyFileSync(source, join(folder, 'main.js'));
    };
    const prepare = (writing = write) => prepareCode(place, writing, root);
    // The clock of a file system may stand still for some milliseconds.
    await sleep(20);
    return { root, place, source, write, prepare, found: () => preparedCode(place, root) };
  }

  it('is found while nothing has changed', async () => {
    const { prepare, found } = await project();
    assert.equal(found(), undefined);
    const folder = await prepare();
    assert.equal(found(), folder);
    assert.equal(fs.readFileSync(join(folder, 'main.js'), 'utf8'), 'old');
  });

  it('is not found once a file that it was made from, a setting or a file of its own is another one', async () => {
    const change: Record<string, (root: string, folder: string) => void> = {
      // It has the size and the time of modification of the file before.
      'a source': (root) => {
        const path = join(root, 'source.ts');
        fs.writeFileSync(path, 'new');
        fs.utimesSync(path, PACKED_AT, PACKED_AT);
      },
      'a source that is replaced by an older file': (root) => {
        const other = join(root, 'other.ts');
        fs.writeFileSync(other, 'new');
        fs.utimesSync(other, 0, 0);
        fs.renameSync(other, join(root, 'source.ts'));
      },
      'a missing source': (root) => fs.rmSync(join(root, 'source.ts')),
      'a folder that is replaced by a file': (root) => {
        fs.rmSync(join(root, 'packages'), { recursive: true });
        fs.writeFileSync(join(root, 'packages'), '');
      },
      'what is installed': (root) => fs.writeFileSync(join(root, INSTALLED), 'new'),
      'a package for one of ours alone': (root) =>
        fs.mkdirSync(join(root, 'packages/server/node_modules/zod')),
      'the first package for one of ours alone': (root) =>
        fs.mkdirSync(join(root, 'packages/text/node_modules'), { recursive: true }),
      'a link to a package of ours elsewhere': (root) =>
        fs.symlinkSync(tmpdir(), join(root, 'node_modules/quarry-text')),
      'the lock file': (root) => fs.writeFileSync(join(root, 'package-lock.json'), 'new'),
      'a new setting': (root) => fs.writeFileSync(join(root, 'tsconfig.json'), '{}'),
      'a file of the bundle': (_, folder) => fs.truncateSync(join(folder, 'main.js')),
      'a missing file of the bundle': (_, folder) => fs.rmSync(join(folder, 'main.js')),
      'an empty list': (_, folder) => fs.truncateSync(join(folder, 'files.json')),
      'a missing list': (_, folder) => fs.rmSync(join(folder, 'files.json')),
      'a list that cannot be read': (_, folder) => {
        fs.rmSync(join(folder, 'files.json'));
        fs.mkdirSync(join(folder, 'files.json'));
      },
    };
    for (const [what, act] of Object.entries(change)) {
      const { root, prepare, found } = await project();
      const folder = await prepare();
      await sleep(20);
      act(root, folder);
      assert.equal(found(), undefined, what);
    }
  });

  it('can be read by other users', async () => {
    const { prepare } = await project();
    assert.equal(fs.statSync(await prepare()).mode & 0o777, 0o755);
  });

  it('is not found by a user who may not open its folder', {
    skip: process.getuid?.() !== 0 && 'only root can be another user',
  }, async () => {
    const { root, prepare, found } = await project();
    const folder = await prepare();
    fs.chmodSync(root, 0o755);
    fs.chmodSync(folder, 0o700);
    process.seteuid?.(65_534);
    try {
      assert.equal(found(), undefined);
    } finally {
      process.seteuid?.(0);
    }
    assert.equal(found(), folder);
  });

  it('is not made from files that are changed meanwhile', async () => {
    const { source, place, write, prepare, found } = await project();
    const late: WriteBundle = async (folder, willRead) => {
      await write(folder, willRead);
      fs.writeFileSync(source, 'new');
    };
    await assert.rejects(prepare(late), /source\.ts was changed/);
    assert.deepEqual(fs.readdirSync(place), []);
    assert.equal(found(), undefined);
    await prepare();
    assert.ok(found());
  });

  /** Runs `act` with a clock of this process that is not that of the file system. */
  async function withClock(aheadMs: number, act: () => Promise<string>): Promise<string> {
    mock.timers.enable({ apis: ['Date'], now: Date.now() + aheadMs });
    try {
      return await act();
    } finally {
      mock.timers.reset();
    }
  }

  it('compares no times of files with a clock', async () => {
    const { source, write, prepare, found } = await project();
    // The files were written when the clock was a day ahead.
    assert.equal(await withClock(-DAY_MS, () => prepare()), found());
    const late: WriteBundle = async (folder, willRead) => {
      await write(folder, willRead);
      fs.writeFileSync(source, 'new');
    };
    await assert.rejects(
      withClock(DAY_MS, () => prepare(late)),
      /source\.ts was changed/,
    );
  });

  /** Sets the time at which the folder was last used, from now. */
  const usedAgo = (folder: string, ms: number) =>
    fs.utimesSync(folder, new Date(Date.now() - ms), new Date(Date.now() - ms));
  const foldersIn = (place: string) =>
    fs
      .readdirSync(place)
      .map((name) => join(place, name))
      .toSorted();

  it('leaves the latest bundles and those that were in use not long ago, and nothing that was left behind', async () => {
    const { place, prepare, found } = await project();
    const [left, begun] = [join(place, 'bundle-left'), join(place, 'bundle-begun')];
    for (const folder of [left, begun]) fs.mkdirSync(folder);
    fs.utimesSync(left, 0, 0);
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      made.push(await prepare());
      // The first ones are those of services that run.
      if (i > 1) usedAgo(made[i]!, (2 * DAY_MS) / (i + 1));
    }
    const last = await prepare();
    assert.deepEqual(foldersIn(place), [begun, ...made.slice(0, 2), last].toSorted());
    assert.equal(found(), last);
  });

  it('stays and is found when others are from a time to come', async () => {
    const { place, source, prepare, found } = await project();
    for (let i = 0; i < 4; i++) usedAgo(await prepare(), -3 * DAY_MS - i);
    fs.writeFileSync(source, 'new');
    await sleep(20);
    // The clock of the file system is behind, too.
    const folder = await withClock(2 * DAY_MS, () => prepare());
    assert.equal(found(), folder);
    assert.equal(foldersIn(place).length, 3);
  });

  it('is kept by the process that runs it, which goes on where it cannot be', async () => {
    const { prepare } = await project();
    const folder = await prepare();
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const isOld = () => Date.now() - fs.statSync(folder).mtimeMs > DAY_MS / 2;
      for (const wait of [0, 60_000]) {
        usedAgo(folder, DAY_MS);
        if (wait === 0) keepPrepared(folder);
        else mock.timers.tick(wait);
        for (let looks = 0; looks < 500 && isOld(); looks++) await sleep(10);
        assert.equal(isOld(), false);
      }
      fs.rmSync(folder, { recursive: true });
      mock.timers.tick(60_000);
      await sleep(50);
      mock.timers.tick(60_000);
    } finally {
      mock.timers.reset();
    }
  });
});

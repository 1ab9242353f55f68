import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareCode, preparedCode } from './prepared-code.ts';

/** npm gives the files of packages one time of modification. */
const PACKED_AT = 499_162_500;

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
    for (const file of ['package.json', 'package-lock.json', 'source.ts'])
      fs.writeFileSync(join(root, file), 'old');
    fs.utimesSync(source, PACKED_AT, PACKED_AT);
    const write = async (folder: string) => {
      fs.copyFileSync(source, join(folder, 'main.js'));
      return [source, 'a module that the bundler made'];
    };
    const prepare = async (writing = write) => {
      // A file that was changed in the moment in which the work begins counts as changed meanwhile.
      await sleep(20);
      return prepareCode(place, writing, root);
    };
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
      'the lock file': (root) => fs.writeFileSync(join(root, 'package-lock.json'), 'new'),
      'a new setting': (root) => fs.writeFileSync(join(root, 'tsconfig.json'), '{}'),
      'a file of the bundle': (_, folder) => fs.truncateSync(join(folder, 'main.js')),
      'a missing file of the bundle': (_, folder) => fs.rmSync(join(folder, 'main.js')),
      'an empty list': (_, folder) => fs.truncateSync(join(folder, 'files.json')),
      'a missing list': (_, folder) => fs.rmSync(join(folder, 'files.json')),
    };
    for (const [what, act] of Object.entries(change)) {
      const { root, prepare, found } = await project();
      const folder = await prepare();
      await sleep(20);
      act(root, folder);
      assert.equal(found(), undefined, what);
    }
  });

  it('is not made from files that are changed meanwhile', async () => {
    const { source, place, write, prepare, found } = await project();
    const late = async (folder: string) => {
      const read = await write(folder);
      fs.writeFileSync(source, 'new');
      return read;
    };
    await assert.rejects(prepare(late), /source\.ts was changed/);
    assert.deepEqual(fs.readdirSync(place), []);
    assert.equal(found(), undefined);
    await prepare();
    assert.ok(found());
  });

  it('leaves the latest bundles for services that run, and nothing that was left behind', async () => {
    const { place, prepare, found } = await project();
    const [left, begun] = [join(place, 'bundle-left'), join(place, 'bundle-begun')];
    for (const folder of [left, begun]) fs.mkdirSync(folder);
    fs.utimesSync(left, 0, 0);
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(await prepare());
    assert.deepEqual(
      fs
        .readdirSync(place)
        .map((name) => join(place, name))
        .toSorted(),
      [begun, ...made.slice(2)].toSorted(),
    );
    assert.equal(found(), made.at(-1));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compoundFile } from '../../test/documents/compound-file.ts';
import { damaged } from '../../test/documents/damaged.ts';
import { type CompoundStorage, readCompound } from './file.ts';

const large = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 251));
const FILE = compoundFile({
  Small: Buffer.from('a few bytes'),
  Large: large,
  Empty: Buffer.alloc(0),
  Storage: { Inner: Buffer.from('x'.repeat(200)), Deeper: { Last: Buffer.from('y') } },
});

describe('a compound file', () => {
  it('gives its streams, small and large, in storages', () => {
    const { streams, storages } = readCompound(FILE);
    assert.deepEqual([...streams.keys()], ['SMALL', 'LARGE', 'EMPTY']);
    assert.equal(streams.get('SMALL')?.read().toString(), 'a few bytes');
    assert.ok(streams.get('LARGE')?.read().equals(large));
    assert.equal(streams.get('EMPTY')?.read().length, 0);
    const inner = storages.get('STORAGE');
    assert.equal(inner?.streams.get('INNER')?.read().toString(), 'x'.repeat(200));
    assert.equal(inner?.storages.get('DEEPER')?.streams.get('LAST')?.read().toString(), 'y');
  });

  it('that is none is refused', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(9999, 1),
      FILE.subarray(0, 500),
      FILE.subarray(0, 512),
    ])
      assert.throws(() => readCompound(bytes), /the file is broken or is not an Office document/);
  });

  it('whose chains and directory lead in circles, or which is damaged anywhere, is read to an end', {
    timeout: 60_000,
  }, () => {
    const circle = Buffer.from(FILE);
    // The table of sectors is the last part of the file; every sector is followed by itself, or by the first one.
    const fat = FILE.readUInt32LE(76) + 1;
    for (const next of [(i: number) => i, () => 0, () => 0x7fffffff])
      for (let i = 0; i < 128; i++) circle.writeUInt32LE(next(i), 512 * fat + 4 * i);
    const tree = Buffer.from(FILE);
    // The third entry of the directory stands beside itself.
    tree.writeUInt32LE(2, 512 * (FILE.readUInt32LE(48) + 1) + 128 * 2 + 72);
    for (const file of [tree, circle, ...damaged(FILE, 2000)]) {
      let root: CompoundStorage;
      try {
        root = readCompound(file);
      } catch (error) {
        assert.match(String(error), /is broken or is not an Office document/);
        continue;
      }
      for (const { read } of root.streams.values()) assert.ok(read().length <= file.length);
    }
  });
});

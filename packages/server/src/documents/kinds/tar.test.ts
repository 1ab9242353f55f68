import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  paxAttribute,
  type TarPart,
  tarFile,
  tarPart,
  withChecksum,
} from '../../test/documents/archive-file.ts';
import { convertedAll } from '../../test/documents/converted.ts';
import { convert } from './tar.ts';

const read = (parts: readonly TarPart[]) => convertedAll(convert, tarFile(parts), 'a.tar');
const contents = async (parts: readonly TarPart[]) =>
  (await read(parts)).inner.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);
const broken = {
  kind: 'skip',
  message: 'the file is broken or is not a tar archive',
  hint: 'Pack it again, or store the files without the archive.',
};

describe('a tar archive', () => {
  it('has its files as documents, without folders, links and devices', async () => {
    const { text, inner, leftOut } = await read([
      { name: 'docs/', type: '5' },
      { name: 'docs/a.md', content: 'Alpha' },
      { name: 'link', type: '2' },
      { name: 'hard', type: '1' },
      { name: 'tty', type: '3' },
      { name: 'photo.heic', content: Buffer.alloc(2000) },
      { name: 'old.txt', content: 'x'.repeat(512), type: '\0' },
    ]);
    assert.equal(text, '# a.tar\n\n- docs/a.md\n- photo.heic\n- old.txt');
    assert.deepEqual(
      inner.map(({ path, bytes }) => [path, bytes.length]),
      [
        ['docs/a.md', 5],
        ['old.txt', 512],
      ],
    );
    assert.deepEqual(leftOut, { 'photo.heic': { reason: 'of a kind without text' } });
  });

  it('may have long names, as ustar, pax and GNU tar write them', async () => {
    const long = `${'long/'.repeat(40)}ä.md`;
    assert.deepEqual(
      await contents([
        { name: 'b.md', prefix: 'far/away', content: '1' },
        {
          name: 'pax',
          type: 'x',
          content: paxAttribute('path', long) + paxAttribute('mtime', '1'),
        },
        { name: 'cut', content: '2' },
        { name: '././@LongLink', type: 'L', content: `${long}2\0` },
        { name: 'pax', type: 'g', content: paxAttribute('comment', 'x') },
        { name: 'cut', content: '3' },
        { name: 'pax', type: 'g', content: paxAttribute('path', 'all.md') },
        { name: 'c.md', content: '4', type: '7' },
      ]),
      [
        ['far/away/b.md', '1'],
        [long, '2'],
        [`${long}2`, '3'],
        ['c.md', '4'],
      ],
    );
  });

  it('may have sizes in base 256 and in attributes', async () => {
    const size = Buffer.alloc(12);
    size.writeUInt8(0x80, 0);
    size.writeUInt8(3, 11);
    assert.deepEqual(
      await contents([
        { name: 'a', content: 'abc', size },
        { name: 'pax', type: 'x', content: paxAttribute('size', '4') },
        { name: 'b', content: 'abcd', size: '00000000000\0' },
      ]),
      [
        ['a', 'abc'],
        ['b', 'abcd'],
      ],
    );
  });

  it('has no content behind folders and links, even when their headers have a size', async () => {
    const size = '00000001000\0';
    assert.deepEqual(
      await contents([
        { name: 'docs/', type: '5', size },
        { name: 'a', content: 'Alpha' },
        { name: 'link', type: '1', size },
        { name: 'b', content: 'Beta' },
      ]),
      [
        ['a', 'Alpha'],
        ['b', 'Beta'],
      ],
    );
  });

  it('may have names in Latin-1, as old programs of Unix wrote them', async () => {
    const part = tarPart({ name: 'Pr?fung.txt', content: 'x' });
    part.writeUInt8(0xfc, 2);
    withChecksum(part);
    const { inner } = await convertedAll(convert, part);
    assert.deepEqual(
      inner.map(({ path }) => path),
      ['Prüfung.txt'],
    );
  });

  it('may have names in Latin-1 with two such letters in a row, and names in GBK', async () => {
    const pathOf = async (name: Buffer) => {
      const part = tarPart({ name: 'a', content: 'x' });
      name.copy(part);
      withChecksum(part);
      return (await convertedAll(convert, part)).inner.map(({ path }) => path).join();
    };
    for (const name of [
      'Größe.txt',
      'pää.txt',
      'Ääni.txt',
      'Ööbik.txt',
      'sää/Größe.txt',
      'GRÄÄR.TXT',
      'öäri',
      `${'aöö'.repeat(32)}ö.x`,
    ])
      assert.equal(await pathOf(Buffer.from(name, 'latin1')), name);
    for (const [gbk, name] of [
      ['cec4b5b52e747874', '文档.txt'],
      ['54d0f42e747874', 'T恤.txt'],
      ['444156c5cc2e747874', 'DAV盘.txt'],
      ['d0f4612e747874', '恤a.txt'],
      ['cae96c6973742e747874', '书list.txt'],
      ['d3e3666973682e747874', '鱼fish.txt'],
      ['54d0cd582e545854', 'T型X.TXT'],
      ['e4e42e747874', '滗.txt'],
      ['b8f7c0e02e747874', '各类.txt'],
    ] as const)
      assert.equal(await pathOf(Buffer.from(gbk, 'hex')), name);
  });

  it('notes a sparse file, which is not read, and goes on behind it', async () => {
    const { inner, leftOut } = await read([
      { name: 'pax', type: 'x', content: paxAttribute('GNU.sparse.name', 'disk.txt') },
      { name: 'x', content: 'x' },
      { name: 'old.txt', type: 'S', content: 'x' },
      { name: 'a', content: 'Alpha' },
    ]);
    assert.deepEqual(
      inner.map(({ path }) => path),
      ['a'],
    );
    const message = 'the file is packed in a way that is not read (sparse)';
    assert.deepEqual(leftOut, { 'disk.txt': message, 'old.txt': message });
  });

  it('goes on behind the map of the holes of a sparse file', async () => {
    const sparse = tarPart({ name: 'old.txt', type: 'S', content: 'x' });
    sparse[482] = 1;
    withChecksum(sparse);
    const map = Buffer.alloc(1024);
    map[504] = 1;
    const next = tarPart({ name: 'a', content: 'Alpha' });
    const file = Buffer.concat([sparse.subarray(0, 512), map, sparse.subarray(512), next]);
    const { inner } = await convertedAll(convert, file);
    assert.deepEqual(
      inner.map(({ path }) => path),
      ['a'],
    );
  });

  it('is refused when it has too many files', () => {
    const many = Buffer.concat(Array.from({ length: 100_001 }, () => tarPart({ name: 'a.jpg' })));
    return assert.rejects(convertedAll(convert, many), {
      kind: 'skip',
      message: 'more than 100000 files are in the archive',
    });
  });

  it('ends with zeros, or at the end of the file', async () => {
    const part = tarPart({ name: 'a', content: 'Alpha' });
    for (const end of [Buffer.alloc(0), Buffer.alloc(512), Buffer.alloc(10_240, 0)]) {
      const { inner } = await convertedAll(convert, Buffer.concat([part, end]));
      assert.equal(inner.length, 1);
    }
  });

  const huge = Buffer.alloc(12, 0xff);
  huge.writeUInt8(0x80, 0);
  const part = tarPart({ name: 'a', content: 'Alpha' });
  const flipped = Buffer.from(part);
  flipped.writeUInt8(flipped[0]! ^ 1, 0);
  for (const [what, bytes] of Object.entries({
    'is cut off in a file': part.subarray(0, 514),
    'is cut off in a header': Buffer.concat([part, part.subarray(0, 100)]),
    'is cut off in a picture': tarPart({ name: 'a.jpg', content: 'x'.repeat(600) }).subarray(
      0,
      700,
    ),
    'has a header with a wrong checksum': flipped,
    'has a file of 8 EB': tarFile([{ name: 'a.jpg', size: huge }]),
    'has a file with a negative size': tarFile([{ name: 'a', size: Buffer.alloc(12, 0xff) }]),
    'has a size that is not a number': tarFile([{ name: 'a', size: '99999999999\0' }]),
    'has attributes without a length': tarFile([{ name: 'p', type: 'x', content: 'path=x' }]),
    'has attributes of length 0': tarFile([{ name: 'p', type: 'x', content: '0 a=b\n' }]),
    'has attributes whose lengths begin with zeros': tarFile([
      { name: 'p', type: 'x', content: `${'0'.repeat(1_000_000)}1 a=b\n` },
    ]),
    'has a name of 2 MB': tarFile([{ name: 'L', type: 'L', content: 'x'.repeat(2_000_000) }]),
    'is a text': Buffer.alloc(2000, 'text '),
    'is empty': Buffer.alloc(0),
  }))
    it(`is refused when the file ${what}`, () =>
      assert.rejects(convertedAll(convert, bytes), broken));
});

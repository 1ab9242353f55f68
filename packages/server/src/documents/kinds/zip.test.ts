import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { zipSync } from 'fflate';
import { type ZipPart, zipFile } from '../../test/documents/archive-file.ts';
import { convertedAll, convertedFile } from '../../test/documents/converted.ts';
import { convert } from './zip.ts';

const MB = 1024 * 1024;
const read = async (parts: readonly ZipPart[], name = 'a.zip') =>
  convertedAll(convert, zipFile(parts), name);
const pathsOf = async (parts: readonly ZipPart[]) =>
  (await read(parts)).inner.map(({ path }) => path);
const refused = (bytes: Uint8Array, message = 'the file is broken or is not a zip archive') =>
  assert.rejects(convertedAll(convert, bytes, 'a.zip'), { kind: 'skip', message });

describe('a zip archive', () => {
  it('has its files as documents, and the list of their paths as its text', async () => {
    const bytes = zipSync({ 'a.md': Buffer.from('# A'), docs: { 'b.txt': Buffer.from('Boat') } });
    const { text, inner, leftOut } = await convertedAll(convert, bytes, 'two.zip');
    assert.equal(text, '# two.zip\n\n- a.md\n- docs/b.txt');
    assert.deepEqual(
      inner.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
      [
        ['a.md', '# A'],
        ['docs/b.txt', 'Boat'],
      ],
    );
    assert.deepEqual(leftOut, {});
  });

  it('is read behind a program and before a comment', async () => {
    const bytes = zipFile([{ name: 'a.md', content: 'Alpha' }]);
    bytes.writeUInt16LE(5, bytes.length - 2);
    const whole = Buffer.concat([Buffer.alloc(300, 'MZ'), bytes, Buffer.from('hello')]);
    const { inner } = await convertedAll(convert, whole);
    assert.equal(Buffer.from(inner[0]?.bytes ?? []).toString(), 'Alpha');
  });

  it('may store its numbers in 64 bits', async () => {
    const extra = Buffer.alloc(28);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    extra.writeBigUInt64LE(5n, 4);
    extra.writeBigUInt64LE(5n, 12);
    extra.writeBigUInt64LE(0n, 20);
    const long = 0xffffffff;
    const declared = { size: long, packed: long, start: long };
    const bytes = zipFile([{ name: 'a.md', content: 'Alpha', method: 0, extra, declared }]);
    const old = bytes.subarray(0, -22);
    const start = BigInt(30 + 4 + 5);
    const end = Buffer.alloc(56 + 20);
    end.writeUInt32LE(0x06064b50, 0);
    end.writeBigUInt64LE(1n, 32);
    end.writeBigUInt64LE(start, 48);
    end.writeUInt32LE(0x07064b50, 56);
    end.writeBigUInt64LE(BigInt(old.length), 64);
    const { inner } = await convertedAll(convert, Buffer.concat([old, end, bytes.subarray(-22)]));
    assert.equal(Buffer.from(inner[0]?.bytes ?? []).toString(), 'Alpha');
  });

  it('leaves out folders, links and files of the system without a word', async () => {
    const { inner, leftOut, text } = await read([
      { name: 'docs/' },
      { name: 'link', content: '/etc/passwd', mode: 0o120777 },
      { name: 'pipe', mode: 0o010644 },
      { name: 'link of a Mac', mode: 0o120777, system: 19 },
      { name: '__MACOSX/._a.md', content: 'x' },
      { name: 'docs/.DS_Store', content: 'x' },
      { name: 'Thumbs.db', content: 'x' },
      { name: 'docs/a.md', content: 'Alpha', mode: 0o100644 },
    ]);
    assert.deepEqual([inner.map(({ path }) => path), leftOut], [['docs/a.md'], {}]);
    assert.equal(text, '# a.zip\n\n- docs/a.md');
  });

  it('leaves out secrets and packages by their names, and notes a folder once', async () => {
    const { inner, leftOut, text } = await read([
      { name: 'a.md' },
      { name: 'app/.env', content: 'KEY=1' },
      { name: '.ssh/id_rsa.bak', content: 'x' },
      { name: '.ssh/known', content: 'x' },
      { name: 'node_modules/a/x.js' },
      { name: 'node_modules/b/x.js' },
    ]);
    assert.deepEqual(
      inner.map(({ path }) => path),
      ['a.md'],
    );
    assert.deepEqual(Object.keys(leftOut), ['app/.env', '.ssh', 'node_modules']);
    const { '.ssh': secret, node_modules: packages } = leftOut;
    assert.deepEqual(secret, {
      reason: 'left out as secrets',
      detail: 'keys',
      hint: 'To take it in, unpack the archive, and add its path to include of the connection.',
    });
    assert.ok(typeof packages === 'object' && packages.reason === 'left out as dependencies');
    assert.equal(text, '# a.zip\n\n- a.md');
  });

  it('shows clean paths without the parts that climb out of the archive', async () => {
    const names = [
      '../../etc/a',
      '/b',
      'C:\\Temp\\c',
      'd/../e//./f',
      '..\\g',
      'h\n\x07i',
      '..',
      '',
    ];
    assert.deepEqual(await pathsOf(names.map((name) => ({ name }))), [
      'etc/a',
      'b',
      'Temp/c',
      'd/e/f',
      'g',
      'h  i',
    ]);
  });

  it('finds the encoding of names', async () => {
    const utf8 = Buffer.from('Zürich.md');
    const cp437 = Buffer.from([0x5a, 0x81, 0x72, 0x69, 0x63, 0x68]);
    const gbk = Buffer.from('cec4b5b52e747874', 'hex');
    const field = (of: Uint8Array) => {
      const head = Buffer.alloc(9);
      head.writeUInt16LE(0x7075, 0);
      head.writeUInt16LE(5 + utf8.length, 2);
      head.writeUInt8(1, 4);
      head.writeUInt32LE(crc32(of), 5);
      return Buffer.concat([head, utf8]);
    };
    assert.deepEqual(
      await pathsOf([
        { name: utf8, flags: 0x800 },
        { name: utf8 },
        { name: cp437 },
        { name: gbk },
        { name: 'Z?rich', extra: field(Buffer.from('Z?rich')) },
        { name: 'renamed', extra: field(Buffer.from('Z?rich')) },
      ]),
      ['Zürich.md', 'Zürich.md', 'Zürich', '文档.txt', 'Zürich.md', 'renamed'],
    );
  });

  it('does not unpack what is not read, and says why', async () => {
    const lie = { size: 20 * MB + 1 };
    const { inner, leftOut } = await read([
      { name: 'a.heic', content: 'x', declared: { crc: 1 } },
      { name: 'huge.txt', content: 'x', declared: lie },
      { name: 'dense.txt', content: Buffer.alloc(MB + 1) },
      { name: 'small.txt', content: Buffer.alloc(MB) },
    ]);
    assert.deepEqual(
      inner.map(({ path }) => path),
      ['small.txt'],
    );
    assert.deepEqual(leftOut, {
      'a.heic': { reason: 'of a kind without text' },
      'huge.txt': { reason: 'too large', detail: '20.0 MB, more than 20 MB' },
      'dense.txt': {
        reason: 'too large',
        detail: 'it unpacks to more than 200 times its size',
        hint: 'Store it without the archive.',
      },
    });
  });

  it('notes files that are encrypted, damaged or packed in another way', async () => {
    const { inner, leftOut } = await read([
      { name: 'a.md', content: 'x', flags: 1 },
      { name: 'b.md', content: 'x', method: 99 },
      { name: 'c.md', content: 'x', method: 14 },
      { name: 'd.md', content: 'x', declared: { crc: 7 } },
      { name: 'e.md', content: 'xxx', declared: { size: 2 } },
      { name: 'f.md', content: 'xxx', declared: { size: 4 } },
      { name: 'g.md', content: 'Good' },
    ]);
    assert.deepEqual(
      inner.map(({ path }) => path),
      ['g.md'],
    );
    const damaged = 'the file is damaged in the archive';
    const locked = 'the file is protected by a password in the archive';
    assert.deepEqual(leftOut, {
      'a.md': locked,
      'b.md': locked,
      'c.md': 'the file is packed in a way that is not read (method 14)',
      'd.md': damaged,
      'e.md': damaged,
      'f.md': damaged,
    });
  });

  it('stops a file that unpacks to more than it declares before it is unpacked', async () => {
    const content = Buffer.alloc(300 * MB);
    const bytes = zipFile([{ name: 'a.txt', content, declared: { size: 1000 } }]);
    const before = process.memoryUsage.rss();
    const { leftOut } = await convertedAll(convert, bytes, 'a.zip');
    assert.deepEqual(leftOut, { 'a.txt': 'the file is damaged in the archive' });
    assert.ok(process.memoryUsage.rss() - before < content.length / 2);
  });

  it('is refused when it has too many files', () => {
    const parts = Array.from({ length: 65_535 }, () => ({ name: 'a.heic', method: 0 }));
    const bytes = zipFile(parts);
    const directory = bytes.readUInt32LE(bytes.length - 6);
    const end = Buffer.alloc(56 + 20);
    end.writeUInt32LE(0x06064b50, 0);
    end.writeBigUInt64LE(100_001n, 32);
    end.writeBigUInt64LE(BigInt(directory), 48);
    end.writeUInt32LE(0x07064b50, 56);
    end.writeBigUInt64LE(BigInt(bytes.length - 22), 64);
    const whole = Buffer.concat([bytes.subarray(0, -22), end, bytes.subarray(-22)]);
    return refused(whole, 'more than 100000 files are in the archive');
  });

  it('may list its files in another order than that in which they stand', async () => {
    const bytes = zipFile(['a.md', 'b.md'].map((name) => ({ name, content: name })));
    const [start, entry] = [bytes.length - 22 - 100, 50];
    const first = Buffer.from(bytes.subarray(start, start + entry));
    bytes.copyWithin(start, start + entry, start + 2 * entry);
    first.copy(bytes, start + entry);
    const { inner } = await convertedAll(convert, bytes);
    assert.deepEqual(
      inner.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
      [
        ['b.md', 'b.md'],
        ['a.md', 'a.md'],
      ],
    );
  });

  it('is refused when its files overlap', () => {
    const content = zipFile([
      { name: 'a', content: 'Alpha' },
      { name: 'b', declared: { start: 0 } },
    ]);
    return refused(content);
  });

  const whole = zipFile([{ name: 'a.md', content: 'Alpha' }]);
  const patched = (at: number, value: number) => {
    const bytes = Buffer.from(whole);
    bytes.writeUInt32LE(value, bytes.length + at);
    return bytes;
  };
  for (const [what, bytes] of Object.entries({
    'is cut off': whole.subarray(0, -1),
    'is cut off at its beginning': whole.subarray(20),
    'is empty': Buffer.alloc(0),
    'is random': Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 2654435761) >>> 24)),
    'has something else where a file begins': Buffer.concat([Buffer.alloc(4), whole.subarray(4)]),
    'says that its directory is larger': patched(-10, 0x7fffffff),
    'says that it has more files': patched(-12, 0x0000ffff),
    'says that a file lies behind its end': zipFile([{ name: 'a', declared: { start: 5000 } }]),
    'says that a file is longer': zipFile([{ name: 'a', declared: { packed: 5000 } }]),
  }))
    it(`is refused when the file ${what}`, () => refused(bytes));

  it('without files is left out', async () => {
    assert.deepEqual(await convertedFile('zip', '', zipFile([{ name: 'docs/' }])), {
      is: 'skip',
      omission: { reason: 'without text that can be read', detail: 'the archive has no files' },
    });
  });

  it('in which all files are left out by their names says which these are', async () => {
    const { text, leftOut } = await read([{ name: 'node_modules/a.js' }, { name: '.env' }]);
    assert.equal(text, '# a.zip');
    assert.deepEqual(Object.keys(leftOut), ['node_modules', '.env']);
  });

  it('lists a thousand paths, and the number of the others', async () => {
    const parts = Array.from({ length: 1003 }, (_, i) => ({ name: `f${i}.jpg` }));
    const { text } = await read(parts);
    assert.match(text, /\n- f999\.jpg\n- and 3 more$/);
  });

  it('shows a path as text that Markdown does not read as code', async () => {
    const { text } = await read([{ name: '```x' }]);
    assert.equal(text, '# a.zip\n\n- \\```x');
  });
});

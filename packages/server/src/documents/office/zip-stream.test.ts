import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { openArchive } from './parts.ts';
import { openZipStream } from './zip-stream.ts';

const text = (bytes: Uint8Array, name: string): string | undefined => {
  const pieces = openZipStream(openArchive(bytes, { what: 'XLSX' })).part(name);
  return pieces && Buffer.concat([...pieces]).toString();
};
const BROKEN = { kind: 'skip', message: 'the file is broken or is not an XLSX' };
const long = Array.from({ length: 50_000 }, (_, i) => `line ${i * 7919}`).join('\n');

/** Returns a copy in which the 32-bit numbers at offsets from the first entry of the directory are replaced. */
function changed(bytes: Uint8Array, numbers: Readonly<Record<number, number>>): Uint8Array {
  const copy = Buffer.from(bytes);
  const entry = copy.indexOf(Buffer.from('504b0102', 'hex'));
  for (const [at, value] of Object.entries(numbers)) copy.writeUInt32LE(value, entry + Number(at));
  return copy;
}

describe('a part of a zip archive that is unpacked piece by piece', () => {
  const bytes = zipSync({
    'a/größe.xml': strToU8(long),
    stored: [strToU8('as it is'), { level: 0 }],
    empty: new Uint8Array(),
  });

  it('is the whole content, packed or not', () => {
    assert.equal(text(bytes, 'a/größe.xml'), long);
    assert.equal(text(bytes, 'stored'), 'as it is');
    assert.equal(text(bytes, 'empty'), '');
    assert.equal(text(bytes, 'gone'), undefined);
  });

  it('is found when the archive has a comment', () => {
    const commented = Buffer.concat([bytes, Buffer.from('PK\x05\x06 is in the comment')]);
    assert.equal(text(commented, 'stored'), 'as it is');
    const plain = Buffer.concat([bytes, Buffer.from('a comment')]);
    assert.equal(text(plain, 'stored'), 'as it is');
  });

  it('is found by numbers with 64 bits', () => {
    const one = zipSync({ a: [strToU8('hello'), { extra: { 1: new Uint8Array(24) } }] });
    const entry = Buffer.from(one).indexOf(Buffer.from('504b0102', 'hex'));
    const directory = Buffer.from(one);
    const extra = entry + 46 + 1 + 4;
    directory.writeBigUInt64LE(5n, extra);
    directory.writeBigUInt64LE(BigInt(directory.readUInt32LE(entry + 20)), extra + 8);
    directory.writeBigUInt64LE(0n, extra + 16);
    const large = changed(directory, { 20: 0xffffffff, 24: 0xffffffff, 42: 0xffffffff });
    const end = large.subarray(-22);
    const end64 = Buffer.alloc(56);
    end64.writeUInt32LE(0x06064b50);
    end64.writeBigUInt64LE(1n, 32);
    end64.writeBigUInt64LE(BigInt(entry), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50);
    locator.writeBigUInt64LE(BigInt(large.length - 22), 8);
    assert.equal(text(Buffer.concat([large.subarray(0, -22), end64, locator, end]), 'a'), 'hello');
  });

  for (const [what, broken] of Object.entries({
    'the archive is cut off': bytes.subarray(0, -30),
    'the archive is empty': new Uint8Array(),
    'the content is cut off': changed(bytes, { 20: 100 }),
    'the content is longer than the archive': changed(bytes, { 20: 0x7fffffff }),
    'the content lies outside of the archive': changed(bytes, { 42: 0x7fffffff }),
    'no content begins at its place': changed(bytes, { 42: 1 }),
    'the method is unknown': changed(bytes, { 10: 99 }),
    'the packed bytes are damaged': Buffer.from(bytes).fill(0xff, 60, 5000),
  }))
    it(`is refused when ${what}`, () => assert.throws(() => text(broken, 'a/größe.xml'), BROKEN));

  it('is refused when all parts unpack to too many bytes', () => {
    const bomb = zipSync({ a: new Uint8Array(30 * 1024 * 1024) });
    const archive = openZipStream(openArchive(bomb, { what: 'XLSX' }), 100);
    let unpacked = 0;
    assert.throws(
      () => {
        for (let i = 0; i < 4; i++)
          for (const { length } of archive.part('a') ?? []) unpacked += length;
      },
      { message: 'the XLSX unpacks to more than 100 MB' },
    );
    assert.ok(unpacked > 90 * 1024 * 1024 && unpacked <= 100 * 1024 * 1024);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { tarFile, tarPart, withChecksum } from '../../test/documents/archive-file.ts';
import { convertedAll, convertedFile } from '../../test/documents/converted.ts';
import { pdfFile } from '../../test/documents/pdf-file.ts';
import { convert } from './gzip.ts';

const MB = 1024 * 1024;
const read = (name: string, bytes: Uint8Array) => convertedFile('gzip', name, bytes);
const packed = (name: string, content: string | Uint8Array) => read(name, gzipSync(content));

/** Returns letters that do not shrink much. */
function noise(length: number): Buffer {
  let seed = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      seed = (seed * 16807) % 2147483647;
      return 65 + (seed % 60);
    }),
  );
}

describe('a file that is packed with gzip', () => {
  it('is read like the file in it', async () => {
    assert.deepEqual(await packed('notes.md.gz', '# Notes\n'), {
      is: 'text',
      text: '# Notes\n',
      isPlain: true,
      readAs: ['plain'],
    });
    assert.deepEqual(await packed('page.html.gz', '<title>T</title><p>a'), {
      is: 'text',
      text: '# T\n\na',
      readAs: ['html'],
    });
    assert.deepEqual(await packed('a.GZ', pdfFile([['Alpha'], ['Beta']])), {
      is: 'text',
      text: 'Alpha\n\nBeta',
      pages: [0, 7],
      readAs: ['pdf'],
    });
  });

  it('may have several members, and zeros at its end', async () => {
    const two = Buffer.concat([gzipSync('one '), gzipSync('two')]);
    for (const end of ['', '\0\0\0\0']) {
      const outcome = await read('a.txt.gz', Buffer.concat([two, Buffer.from(end)]));
      assert.deepEqual(outcome, { is: 'text', text: 'one two', isPlain: true, readAs: ['plain'] });
    }
  });

  it('is left out when the file in it is left out', async () => {
    const reasonOf = async (name: string, content = 'x') => {
      const outcome = await packed(name, content);
      return outcome.is === 'skip' ? outcome.omission.reason : outcome.is;
    };
    assert.equal(await reasonOf('photo.jpg.gz'), 'of a kind without text');
    assert.equal(await reasonOf('.env.gz'), 'left out as secrets');
    assert.equal(await reasonOf('secrets.yml.gz'), 'left out as secrets');
    const key =
      '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n';
    assert.equal(await reasonOf('a.txt.gz', key), 'left out as secrets');
    assert.equal(await reasonOf('a.txt.gz', '\x01'.repeat(99)), 'binary');
  });

  it('has the files of a tar archive in it', async () => {
    const tar = gzipSync(tarFile([{ name: 'a.md', content: 'Alpha' }]));
    for (const name of ['a.tar.gz', 'a.tgz', 'backup']) {
      const { text, inner } = await convertedAll(convert, tar, name);
      assert.equal(text, `# ${name}\n\n- a.md`);
      assert.deepEqual(
        inner.map(({ path }) => path),
        ['a.md'],
      );
    }
  });

  it('has the documents of an archive in it under the path in that archive', async () => {
    const outcome = await packed('a.zip.gz', zipSync({ 'b.txt': Buffer.from('Boat') }));
    assert.ok(outcome.is === 'text');
    assert.deepEqual(outcome.inner, [
      { path: 'b.txt', kind: 'plain', outcome: { is: 'text', text: 'Boat', isPlain: true } },
    ]);
  });

  it('may be packed only a few times', async () => {
    const nested = (times: number): Buffer =>
      Array.from({ length: times }).reduce<Buffer>((inner) => gzipSync(inner), Buffer.from('deep'));
    assert.equal((await read(`a.txt${'.gz'.repeat(3)}`, nested(3))).is, 'text');
    assert.deepEqual(await read(`a.txt${'.gz'.repeat(4)}`, nested(4)), {
      is: 'skip',
      omission: {
        reason: 'too deep inside of other files',
        detail: 'more than 3 levels',
        hint: 'Unpack it: the next sync reads the result.',
      },
    });
  });

  it('is not unpacked beyond the limits', async () => {
    assert.deepEqual(await packed('a.txt.gz', Buffer.alloc(15 * MB)), {
      is: 'broken',
      reason: 'the file unpacks to more than 200 times its size',
      hint: 'Unpack it: the next sync reads the result.',
    });
  });

  it('may be as large as a file of the kind that its beginning says', async () => {
    const large = noise(21 * MB);
    assert.deepEqual(await packed('a.txt.gz', large), {
      is: 'skip',
      omission: { reason: 'too large', detail: 'more than 20 MB' },
    });
    // This begins like a document of Word, so it is given to its converter.
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(large);
    const outcome = await packed('template.dot.gz', large);
    assert.ok(outcome.is === 'broken', JSON.stringify(outcome).slice(0, 300));
  });

  it('has the files of a tar archive without a mark', async () => {
    const old = Buffer.from(tarPart({ name: 'a.txt', content: 'Alpha' }));
    old.fill(0, 257, 265);
    withChecksum(old);
    const { text } = await convertedAll(convert, gzipSync(old), 'a.tgz');
    assert.equal(text, '# a.tgz\n\n- a.txt');
  });

  const whole = gzipSync('Alpha '.repeat(100));
  const damaged = Buffer.from(whole);
  damaged.writeUInt32LE(1, damaged.length - 8);
  for (const [what, bytes] of Object.entries({
    'is cut off': whole.subarray(0, -9),
    'is damaged': damaged,
    'has garbage at its end': Buffer.concat([whole, Buffer.from('garbage')]),
    'is a text': Buffer.from('hello'),
    'is empty': Buffer.alloc(0),
  }))
    it(`is refused when the file ${what}`, async () =>
      assert.deepEqual(await read('a.txt.gz', bytes), {
        is: 'broken',
        reason: 'the file is broken or is not a gzip archive',
        hint: 'Pack it again, or store the files without the archive.',
      }));
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fnv1a } from '../../model/hash.ts';
import { createBuiltinEmbedder } from './builtin.ts';
import { loadModel, parseModel } from './model-file.ts';
import { createVocabulary, find } from './vocabulary.ts';

interface Parts {
  magic?: string;
  words?: string;
  size?: number;
  hashRows?: number;
  dimensions?: number;
  more?: number;
}

/** Makes a file with two words and one hashed row, in two dimensions. `parts` replaces parts of the file. */
function file(parts: Parts = {}): Buffer<SharedArrayBuffer> {
  const {
    magic = 'SEMB0001',
    words = 'green\nblue',
    size = 2,
    hashRows = 1,
    dimensions = 2,
  } = parts;
  const vocabulary = Buffer.from(words.padEnd(Math.ceil((words.length + 1) / 4) * 4, '\n'));
  const header = Buffer.alloc(24);
  header.write(magic, 'latin1');
  [size, hashRows, dimensions, vocabulary.length].forEach((n, i) => {
    header.writeUInt32LE(n, 8 + 4 * i);
  });
  const scales = Buffer.alloc(12);
  [1, 0.5, 2].forEach((scale, i) => {
    scales.writeFloatLE(scale, 4 * i);
  });
  const rows = Buffer.from(Int8Array.of(3, 4, 0, -8, 1, 0).buffer);
  return shared(Buffer.concat([header, vocabulary, scales, rows, Buffer.alloc(parts.more ?? 0)]));
}

function shared(bytes: Uint8Array): Buffer<SharedArrayBuffer> {
  const copy = Buffer.from(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

describe('model file', () => {
  it('is read in its format', async () => {
    const model = parseModel(file(), 'm.bin');
    assert.equal(model.dimensions, 2);
    assert.equal(model.hashRows, 1);
    assert.equal(model.vocabulary.size, 2);
    assert.deepEqual([...model.scales], [1, 0.5, 2]);
    assert.deepEqual([...model.rows], [3, 4, 0, -8, 1, 0]);
    const embedder = createBuiltinEmbedder({ model });
    const { signal } = new AbortController();
    const vectors = await embedder.embed(['green', 'blue', 'xyz'], 'document', signal);
    const rounded = vectors.map((vector) => [...vector].map((x) => Math.round(x * 1000) / 1000));
    assert.deepEqual(rounded, [
      [0.6, 0.8],
      [0, -1],
      [1, 0],
    ]);
  });

  it('is in memory once', () => {
    const { scales, rows } = loadModel();
    assert.ok(scales.buffer instanceof SharedArrayBuffer);
    // A comparison by `equal` would print 15 MB where it fails.
    assert.ok(rows.buffer === scales.buffer);
    assert.equal(rows.byteOffset, scales.byteOffset + scales.byteLength);
    assert.equal(rows.byteOffset + rows.byteLength, rows.buffer.byteLength);
  });

  it('weighs a repeated word by 1 + ln of its count', async () => {
    const embedder = createBuiltinEmbedder({ model: parseModel(file(), 'm.bin') });
    const { signal } = new AbortController();
    const [vector] = await embedder.embed(['blue blue xyz'], 'document', signal);
    // The vector is the sum of (1 + ln 2) × 0.5 × (0, -8) for blue, and of 2 × (1, 0) for xyz.
    assert.ok(Math.abs(vector![1]! / vector![0]! + 2 * (1 + Math.log(2))) < 1e-5);
  });

  const broken: readonly (readonly [string, Buffer<SharedArrayBuffer>, RegExp])[] = [
    [
      'another format',
      file({ magic: 'SEMB0002' }),
      /m\.bin is broken: it does not begin with SEMB/,
    ],
    ['an empty file', shared(Buffer.alloc(0)), /it does not begin with SEMB0001/],
    ['half a header', file().subarray(0, 23), /it does not begin with SEMB0001/],
    ['a byte too few', file().subarray(0, -1), /it has 53 bytes, its header says 54/],
    ['a byte too many', file({ more: 1 }), /it has 55 bytes, its header says 54/],
    ['too few words', file({ words: 'purple' }), /its vocabulary has 1 lines, its header says 2/],
    ['no hashed rows', file({ hashRows: 0 }), /no hashed rows or no dimensions/],
    ['no dimensions', file({ dimensions: 0 }), /no hashed rows or no dimensions/],
  ];
  for (const [what, bytes, message] of broken)
    it(`refuses ${what}`, () => {
      assert.throws(() => parseModel(bytes, 'm.bin'), message);
    });
});

describe('vocabulary', () => {
  const words = [
    'a',
    'b',
    'ab',
    'ba',
    'abc',
    'é',
    '漢字',
    ...Array.from({ length: 500 }, (_, i) => `w${i}`),
  ];
  const vocabulary = createVocabulary(words);

  it('finds every word', () => {
    words.forEach((word, number) => {
      assert.equal(find(vocabulary, word, fnv1a(word)), number, word);
    });
  });

  it('finds no word that it does not have, even with the same hash', () => {
    for (const word of ['', 'c', 'w500', 'w', 'abcd', 'e', '漢'])
      for (const hash of [fnv1a(word), fnv1a('abc'), fnv1a('w7')])
        assert.equal(find(vocabulary, word, hash), -1, word);
  });

  it('may be empty', () => {
    assert.equal(find(createVocabulary([]), 'a', fnv1a('a')), -1);
  });

  it('hashes with 32-bit FNV-1a', () => {
    assert.equal(fnv1a(''), 0x811c9dc5);
    assert.equal(fnv1a('a'), 0xe40c292c);
    assert.equal(fnv1a('foobar'), 0xbf9cf968);
  });
});

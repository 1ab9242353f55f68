/** Tests how a file in Base64 is read out of an answer in JSON. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { base64Field } from './base64-field.ts';

/** Gives the answer in pieces of this many bytes. */
async function read(answer: string, length = answer.length): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const decoder = base64Field('data', async (piece) => {
    pieces.push(piece);
  });
  const bytes = Buffer.from(answer);
  for (let at = 0; at < bytes.length; at += length)
    await decoder.take(bytes.subarray(at, at + length));
  decoder.end();
  return Buffer.concat(pieces);
}

const FILE = Buffer.from(Array.from({ length: 1000 }, (_, i) => (i * 7 + (i >> 3)) % 256));

describe('a file in Base64 within an answer in JSON', () => {
  it('is read whole, whatever the pieces are', async () => {
    const answer = JSON.stringify({ size: 1000, data: FILE.toString('base64url'), more: [1] });
    for (const length of [1, 2, 3, 5, 64, 1001, 5000])
      assert.deepEqual(await read(answer, length), FILE, `pieces of ${length}`);
  });

  it('may use either alphabet, padding, line breaks and escape sequences', async () => {
    const standard = FILE.toString('base64').replace(/(.{76})/g, '$1\\r\\n');
    const escaped = standard.replaceAll('=', '\\u003d').replaceAll('/', '\\/');
    for (const length of [1, 7, 5000])
      assert.deepEqual(await read(`{ "data" : "${escaped}" }`, length), FILE);
    assert.deepEqual(await read('{"data":""}'), Buffer.alloc(0));
  });

  it('is taken from the field of the object itself', async () => {
    const inner = { data: 'AAAA', list: ['data', { data: 'AAAA' }] };
    const answer = JSON.stringify({ data2: 'AAAA', text: 'data', inner, data: 'aGVyb24' });
    for (const length of [1, 5000]) assert.equal(String(await read(answer, length)), 'heron');
  });

  it('is an error when the answer breaks off, has no such field, or something else in it', async () => {
    for (const broken of ['{"data":"aGVy', '{"data":"aGVyb24"', '', '[]', '{}', '{"data":7}'])
      await assert.rejects(read(broken), { name: 'RequestFailure' }, broken);
    await assert.rejects(read('{"data":{"x":"aGVyb24"}}'), { name: 'RequestFailure' });
  });
});

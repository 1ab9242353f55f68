import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import wabt from 'wabt';
import { random } from '../test/random/random.ts';
import {
  BLOCK,
  KERNEL,
  plainScan,
  type Scan,
  type ScanMemory,
  scanMemory,
  simdScan,
} from './kernel.ts';

/** Returns the memory at `scores` after a scan of random vectors with a random query. */
function scores(scanOver: (memory: ScanMemory) => Scan, dimensions: number, count: number) {
  const memory = scanMemory(4);
  const bytes = new Int8Array(memory.buffer);
  const chance = random(dimensions);
  const at = { query: 0, scores: dimensions * 2, vectors: dimensions * 2 + (count + 1) * 4 };
  const query = new Int16Array(memory.buffer, 0, dimensions);
  for (let i = 0; i < dimensions; i++) query[i] = chance.below(255) - 127;
  for (let i = 0; i < count * dimensions; i++) bytes[at.vectors + i] = chance.below(256) - 128;
  new Int32Array(memory.buffer, at.scores, count + 1).fill(-7);
  const end = at.vectors + count * dimensions;
  scanOver(memory)(at.vectors, end, at.query, at.scores, dimensions);
  return [...new Int32Array(memory.buffer, at.scores, count + 1)];
}

describe('the scan of vectors', () => {
  for (const dimensions of [BLOCK, 48, 256, 1536])
    it(`gives the same in WebAssembly and in JavaScript (${dimensions} dimensions)`, () => {
      const simd = scores(simdScan, dimensions, 50);
      assert.deepEqual(simd, scores(plainScan, dimensions, 50));
      assert.ok(new Set(simd).size > 40);
      assert.equal(simd[50], -7, 'nothing is written after the last score');
    });

  it('does nothing for no vectors', () => {
    assert.deepEqual(scores(simdScan, 32, 0), [-7]);
    assert.deepEqual(scores(plainScan, 32, 0), [-7]);
  });

  it('sums the largest numbers without overflow', () => {
    const memory = scanMemory(1);
    new Int16Array(memory.buffer, 0, 1536).fill(-127);
    new Int8Array(memory.buffer, 4096, 1536).fill(-127);
    for (const scanOver of [simdScan, plainScan]) {
      scanOver(memory)(4096, 4096 + 1536, 0, 3584, 1536);
      assert.equal(new Int32Array(memory.buffer, 3584, 1)[0], 127 * 127 * 1536);
    }
  });

  it('equals the output of wabt for kernel.wat', async () => {
    const text = readFileSync(new URL('./kernel.wat', import.meta.url), 'utf8');
    const module = (await wabt()).parseWat('kernel.wat', text, { simd: true });
    assert.deepEqual(Buffer.from(module.toBinary({}).buffer), Buffer.from(KERNEL));
  });
});

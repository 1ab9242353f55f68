import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cosine, quantize } from './vector.ts';

const unit = (...values: number[]) => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (x) => x / length);
};

describe('quantize', () => {
  it('uses the whole range of int8 in either direction', () => {
    const { values, scale } = quantize(Float32Array.of(0.5, -1, 0.25, 0));
    assert.deepEqual([...values], [64, -127, 32, 0]);
    assert.equal(scale, Math.fround(1 / 127));
  });

  it('keeps each component to within half a quantization step', () => {
    const vector = unit(...Array.from({ length: 64 }, (_, i) => Math.sin(i * i)));
    const { values, scale } = quantize(vector);
    assert.equal(Math.max(...values.map(Math.abs)), 127);
    for (let i = 0; i < vector.length; i++)
      assert.ok(Math.abs(values[i]! * scale - vector[i]!) <= scale * 0.5001);
  });

  it('makes a vector of zeros from a vector of zeros', () => {
    assert.deepEqual(quantize(new Float32Array(3)), { scale: 0, values: new Int8Array(3) });
  });
});

describe('cosine', () => {
  it('is that of the original vectors, except for rounding errors', () => {
    const [a, b] = [unit(1, 2, 3, -4), unit(-2, 1, 0.5, -3)];
    const exact = a.reduce((sum, x, i) => sum + x * b[i]!, 0);
    assert.ok(Math.abs(cosine(quantize(a), quantize(b)) - exact) < 0.005);
    assert.ok(Math.abs(cosine(quantize(a), quantize(a)) - 1) < 0.005);
    const opposite = a.map((x) => -x);
    assert.ok(Math.abs(cosine(quantize(a), quantize(opposite)) + 1) < 0.005);
  });

  it('sums each component once, for any number of components', () => {
    for (let length = 1; length <= 9; length++) {
      const values = Int8Array.from({ length }, (_, i) => 2 ** i % 100);
      const others = Int8Array.from({ length }, (_, i) => 3 ** i % 100);
      const exact = values.reduce((sum, value, i) => sum + value * others[i]!, 0);
      assert.equal(cosine({ scale: 1, values }, { scale: 1, values: others }), exact);
    }
  });

  it('is 0 for a vector of zeros', () => {
    assert.equal(cosine(quantize(new Float32Array(4)), quantize(unit(1, 1, 1, 1))), 0);
  });
});

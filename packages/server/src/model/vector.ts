/**
 * Vectors as they are stored: int8 with one scale each. `values[i] * scale` is the component.
 * The rounding costs a recall@10 of 0.002 (docs/decisions/0003-search-index.md).
 */
export interface Vector {
  readonly scale: number;
  readonly values: Int8Array;
}

export function quantize(vector: Float32Array): Vector {
  let peak = 0;
  for (const x of vector) peak = Math.max(peak, Math.abs(x));
  const scale = peak === 0 ? 0 : peak / 127;
  const values = new Int8Array(vector.length);
  if (scale > 0) for (let i = 0; i < vector.length; i++) values[i] = Math.round(vector[i]! / scale);
  return { scale: Math.fround(scale), values };
}

/** Cosine of two stored unit vectors, within the rounding of int8. */
export function cosine(a: Vector, b: Vector): number {
  let dot = 0;
  for (let i = 0; i < a.values.length; i++) dot += a.values[i]! * b.values[i]!;
  return dot * a.scale * b.scale;
}

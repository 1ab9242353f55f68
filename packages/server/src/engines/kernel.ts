/**
 * Computes dot products of int8 vectors with a query, over memory that WebAssembly can read.
 *
 * The SIMD kernel is written in `kernel.wat`; `KERNEL` has its bytes, as wabt compiles them. Where the machine has no
 * SIMD, plain JavaScript computes the same numbers, some fifteen times slower. Sums of integers are exact, so the
 * results of both are equal.
 */

/** The addresses are in bytes; `dimensions` is a multiple of BLOCK. `kernel.wat` explains the parameters. */
export type Scan = (
  vectors: number,
  end: number,
  query: number,
  scores: number,
  dimensions: number,
) => void;

export interface ScanMemory {
  readonly buffer: ArrayBuffer;
  /** Adds this many pages, which makes a new `buffer`. */
  grow(pages: number): number;
}

/** This file uses these parts of the WebAssembly API, which Node's types leave out. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => ScanMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: { readonly scan: Scan } };
  validate(bytes: Uint8Array): boolean;
};

export const PAGE = 65_536;
/** Dimensions are padded with zeros to a multiple of this. */
export const BLOCK = 16;

export const KERNEL: Uint8Array = Buffer.from(
  'AGFzbQEAAAABCQFgBX9/f39/AAINAQFtBm1lbW9yeQIAAQMCAQAHCAEEc2NhbgAACrsBAbgBAgJ/AnsCQANAIAAgAU8N' +
    'ASAAIARqIQUgAiEG/QwAAAAAAAAAAAAAAAAAAAAAIQf9DAAAAAAAAAAAAAAAAAAAAAAhCANAIAcgAP0BAwAgBv0ABAD9' +
    'ugH9rgEhByAIIAD9AQMIIAb9AAQQ/boB/a4BIQggBkEgaiEGIABBEGohACAAIAVJDQALIAcgCP2uASEHIAMgB/0bACAH' +
    '/RsBaiAH/RsCIAf9GwNqajYCACADQQRqIQMMAAsLCw==',
  'base64',
);

export const scanMemory = (pages: number): ScanMemory => new WebAssembly.Memory({ initial: pages });

/** Returns the kernel for this memory, in WebAssembly where it can run. */
export const scanOver = (memory: ScanMemory): Scan =>
  WebAssembly.validate(KERNEL) ? simdScan(memory) : plainScan(memory);

export function simdScan(memory: ScanMemory): Scan {
  const module = new WebAssembly.Module(KERNEL);
  return new WebAssembly.Instance(module, { m: { memory } }).exports.scan;
}

export const plainScan =
  (memory: ScanMemory): Scan =>
  (vectors, end, query, scores, dimensions) => {
    const bytes = new Int8Array(memory.buffer);
    const words = new Int16Array(memory.buffer, query, dimensions);
    const sums = new Int32Array(memory.buffer, scores);
    for (let vector = vectors, i = 0; vector < end; vector += dimensions, i++) {
      let sum = 0;
      for (let k = 0; k < dimensions; k++) sum += bytes[vector + k]! * words[k]!;
      sums[i] = sum;
    }
  };

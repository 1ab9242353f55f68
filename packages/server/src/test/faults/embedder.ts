/** This embedder needs no model. Each word adds to two dimensions, so texts that share a word have a high cosine. */
import type { Embedder } from '../../engines/ports.ts';
import { stems } from '../../model/terms.ts';

const DIMENSIONS = 16;

export const embedding = (text: string): Float32Array => {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of stems(text)) {
    const hash = hashOf(word);
    vector[hash % DIMENSIONS]! += 1;
    vector[(hash >>> 8) % DIMENSIONS]! += 0.5;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((x) => x / length);
};

/** Calls `pause` before each answer; the process may be killed there. */
export const smallEmbedder = (pause: () => Promise<void>): Embedder => ({
  model: 'small',
  isBuiltIn: false,
  dimensions: DIMENSIONS,
  async embed(texts, _as, signal) {
    await pause();
    signal.throwIfAborted();
    return texts.map(embedding);
  },
});

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

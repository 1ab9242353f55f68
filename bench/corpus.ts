/**
 * Makes a corpus of any size from a seed: files of plausible prose with a Zipf distribution over the words of the
 * embedding model's vocabulary, about 110 words in a paragraph. Equal seeds make equal files.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MODEL = new URL('../packages/server/models/static-256-v1.bin', import.meta.url);

export interface Corpus {
  readonly queries: readonly string[];
}

/** Writes `files` files with `sections` sections each, and returns queries of three to five words of the corpus. */
export function writeCorpus(
  folder: string,
  { files, seed, sections = 4 }: { files: number; seed: number; sections?: number },
): Corpus {
  const random = mulberry32(seed);
  const words = vocabulary();
  const word = () => words[zipf(random, words.length)] ?? 'word';
  const sentence = () =>
    `${Array.from({ length: 8 + Math.floor(random() * 12) }, word).join(' ')}.`;
  const section = (n: number) =>
    `## ${word()} ${word()} ${n}\n\n${Array.from({ length: 8 }, sentence).join(' ')}\n`;
  for (let i = 0; i < files; i++) {
    const sub = join(folder, `d${Math.floor(i / 500)}`);
    if (i % 500 === 0) mkdirSync(sub, { recursive: true });
    const text = `# ${word()} ${word()}\n\n${Array.from({ length: sections }, (_, n) => section(n + 1)).join('\n')}`;
    writeFileSync(join(sub, `f${i}.md`), text);
  }
  const queries = Array.from({ length: 300 }, () =>
    Array.from({ length: 3 + Math.floor(random() * 3) }, () => words[skip(random, words)]).join(
      ' ',
    ),
  );
  return { queries };
}

/** The queries do not contain the 50 most frequent words, because people rarely search for very common words. */
const skip = (random: () => number, words: readonly string[]) =>
  50 + zipf(random, words.length - 50);

export function vocabulary(): string[] {
  const bytes = readFileSync(MODEL);
  const size = bytes.readUInt32LE(20);
  return bytes
    .toString('utf8', 24, 24 + size)
    .split('\n')
    .filter((stem) => /^[a-z]{3,}$/.test(stem));
}

/** Returns a random rank; the probability of a rank is about proportional to 1 / (rank + 3). */
function zipf(random: () => number, size: number): number {
  return Math.min(size - 1, Math.floor(3 * ((size / 3 + 1) ** random() - 1)));
}

export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Counts tokens of cl100k_base, as far as a limit needs the count.
 *
 * Only the vocabulary is taken from js-tiktoken: its encoder takes quadratic time for a long word and refuses texts
 * that spell out a special token.
 */
import { createRequire } from 'node:module';
import { countMerged } from './tokens-merge.ts';

/** The longest token is a run of spaces with this many bytes. */
const LONGEST_TOKEN = 128;

export function exceedsTokens(text: string, limit: number): boolean {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return false; // A token has at least one byte.
  if (bytes > limit * LONGEST_TOKEN) return true;
  vocabulary ??= loadVocabulary();
  let count = 0;
  for (const [word] of text.matchAll(vocabulary.words)) {
    count += countMerged(Buffer.from(word).toString('latin1'), vocabulary.ranks);
    if (count > limit) return true;
  }
  return false;
}

interface TokenVocabulary {
  /** The expression matches words, which are never merged with their neighbours. */
  readonly words: RegExp;
  /** The keys are bytes, as Latin-1, and the values say in which order they are merged. */
  readonly ranks: ReadonlyMap<string, number>;
}

/** The vocabulary takes some megabytes, so it is loaded with the first text that is long enough to need it. */
let vocabulary: TokenVocabulary | undefined;

function loadVocabulary(): TokenVocabulary {
  const source = createRequire(import.meta.url)('js-tiktoken/ranks/cl100k_base') as {
    readonly pat_str: string;
    /** The lines have the form `! first-rank token token …`, with the tokens in base64. */
    readonly bpe_ranks: string;
  };
  const ranks = new Map<string, number>();
  for (const line of source.bpe_ranks.split('\n')) {
    const [, first, ...tokens] = line.split(' ');
    tokens.forEach((token, i) => {
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(first) + i);
    });
  }
  return { words: new RegExp(source.pat_str, 'gu'), ranks };
}

/**
 * Decides whether a text has more tokens of cl100k_base than a limit.
 *
 * Only the vocabulary comes from js-tiktoken. Its encoder is not used, because it needs quadratic time for a long word
 * and refuses texts that contain the name of a special token.
 */
import { createRequire } from 'node:module';
import { countMerged } from './tokens-merge.ts';

/** The longest token of the vocabulary is a run of spaces with this many bytes. */
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
  /** This expression matches words. A token never goes across the end of a word. */
  readonly words: RegExp;
  /** Maps a token, with one character per byte (Latin-1), to its rank: tokens with lower ranks are merged first. */
  readonly ranks: ReadonlyMap<string, number>;
}

/** The vocabulary takes several megabytes of memory, so it is loaded only when a text is long enough to need it. */
let vocabulary: TokenVocabulary | undefined;

function loadVocabulary(): TokenVocabulary {
  const source = createRequire(import.meta.url)('#token-vocabulary') as {
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

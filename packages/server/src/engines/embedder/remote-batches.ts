/** Shortens texts to the length that a model accepts, and groups them into requests. */
import type { EmbedderLimits } from './remote-models.ts';

/** This is an estimate for UTF-8: a token of English has about four bytes, a token of Chinese about three. */
const BYTES_PER_TOKEN = 3;

const estimatedTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** Returns the beginning of a text, about `tokens` tokens long, cut between two characters. */
export function beginning(text: string, tokens: number): string {
  const most = tokens * BYTES_PER_TOKEN;
  // A UTF-16 code unit has at most three bytes in UTF-8, so most texts need not be measured in bytes.
  if (text.length * BYTES_PER_TOKEN <= most) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  // A byte of the form 10xxxxxx after the cut belongs to a character that begins before the cut.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** Yields the positions in `texts` for each request. Each request is within the limits or has a single text. */
export function* batches(texts: readonly string[], limits: EmbedderLimits): Generator<number[]> {
  let batch: number[] = [];
  let tokens = 0;
  for (const [i, text] of texts.entries()) {
    const more = estimatedTokens(text);
    if (batch.length > 0 && (batch.length >= limits.texts || tokens + more > limits.tokens)) {
      yield batch;
      batch = [];
      tokens = 0;
    }
    batch.push(i);
    tokens += more;
  }
  if (batch.length > 0) yield batch;
}

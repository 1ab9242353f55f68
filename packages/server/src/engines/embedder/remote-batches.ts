/** Cuts texts to the length that a model accepts, and puts them together into requests. */
import type { EmbedderLimits } from './remote-models.ts';

/** The bytes are those of UTF-8: a token of English has about four, one of Chinese about three. */
const BYTES_PER_TOKEN = 3;

const estimatedTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** Returns the beginning of a text, about `tokens` tokens long, without cutting a character. */
export function beginning(text: string, tokens: number): string {
  const most = tokens * BYTES_PER_TOKEN;
  // A UTF-16 code unit has at most three bytes of UTF-8, so most texts need not be measured.
  if (text.length * BYTES_PER_TOKEN <= most) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  // A byte of the form 10xxxxxx after the cut belongs to a character that begins before it.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** Yields runs of positions in `texts`. Each run is within the limits, or consists of a single text. */
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

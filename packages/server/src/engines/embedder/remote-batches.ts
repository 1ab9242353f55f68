/** Texts cut to what a model takes, and put together into requests. */
import type { EmbedderLimits } from './remote-models.ts';

/** In UTF-8: English has about four, Chinese three. */
const BYTES_PER_TOKEN = 3;

const estimatedTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** The beginning of a text, whole characters. */
export function beginning(text: string, tokens: number): string {
  const most = tokens * BYTES_PER_TOKEN;
  // No character has fewer bytes than units, so most texts need not be measured.
  if (text.length * BYTES_PER_TOKEN <= most) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  // Into a character the byte after the cut goes on with 10xxxxxx.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** Runs of positions in `texts`, each within the limits or of one text. */
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

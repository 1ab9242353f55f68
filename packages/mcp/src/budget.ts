/**
 * A budget limits the size of a result in tokens of the model that reads it. The estimate is rather too high than too
 * low: three bytes of UTF-8 count as one token. English has about four bytes per token, code about three, and a Chinese
 * character has three bytes and about one token.
 */
export const DEFAULT_TOKENS = 8_000;
/** With fewer tokens, not even one record would fit. */
export const LEAST_TOKENS = 2_000;
const BYTES_PER_TOKEN = 3;

/**
 * Returns the tokens for a part of a result. `part` is its size in a result of the default size. A smaller result gives
 * a smaller part; a larger result does not give a larger part.
 */
export const share = (part: number, total: number): number =>
  Math.floor(part * Math.min(1, total / DEFAULT_TOKENS));

export const tokensOf = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/**
 * Returns the text, or its beginning followed by a note when it has more than `tokens`. The cut is between two
 * characters.
 */
export function cut(text: string, tokens: number, note = ' … (cut)'): string {
  if (tokensOf(text) <= tokens) return text;
  const bytes = Buffer.from(text).subarray(0, tokens * BYTES_PER_TOKEN);
  // The cut may go through a character, which then decodes to U+FFFD.
  return bytes.toString().replace(/\uFFFD+$/, '') + note;
}

/** Returns how many of the parts fit one after the other, but at least 1. */
export function howManyFit(parts: readonly string[], tokens: number): number {
  let used = 0;
  const over = parts.findIndex((part) => {
    used += tokensOf(part);
    return used > tokens;
  });
  return over === -1 ? parts.length : Math.max(1, over);
}

/** Returns the fields that fit. A field that would take more than a quarter of the tokens is left out. */
export function briefFields(
  fields: Readonly<Record<string, unknown>>,
  tokens: number,
): Record<string, unknown> {
  const small = Object.entries(fields).filter(
    (field) => tokensOf(JSON.stringify(field)) <= tokens / 4,
  );
  const texts = small.map((field) => JSON.stringify(field));
  return Object.fromEntries(small.slice(0, howManyFit(texts, tokens)));
}

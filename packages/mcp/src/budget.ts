/**
 * A budget limits the size of a result in tokens of the model that reads it. The number of tokens is estimated: three
 * bytes of UTF-8 count as one token, which is more often too high than too low. English has about four bytes per token,
 * code about three, and a Chinese character has three bytes and about one token.
 */
export const DEFAULT_TOKENS = 8_000;
/** With fewer tokens, not even one record would fit. */
export const MIN_TOKENS = 2_000;
const BYTES_PER_TOKEN = 3;

/**
 * Returns how many tokens a part of a result may have. The part has a limit of its own, `part`, when the limit of the
 * whole result, `total`, is DEFAULT_TOKENS or more. With a smaller `total` the part shrinks in proportion.
 */
export const share = (part: number, total: number): number =>
  Math.floor(part * Math.min(1, total / DEFAULT_TOKENS));

export const tokensOf = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/**
 * Returns the text if it has at most `tokens`, and otherwise its beginning followed by a note, which `tokens` do not
 * include. No character is divided.
 */
export function cut(text: string, tokens: number, note = ' … (cut)'): string {
  if (tokensOf(text) <= tokens) return text;
  const bytes = Buffer.from(text).subarray(0, tokens * BYTES_PER_TOKEN);
  // The last bytes may be the beginning of a character. They decode to U+FFFD, which is removed.
  return bytes.toString().replace(/\uFFFD+$/, '') + note;
}

/** Returns how many of the first parts fit into `tokens` together. Returns at least 1 when there is a part. */
export function howManyFit(parts: readonly string[], tokens: number): number {
  let used = 0;
  const over = parts.findIndex((part) => {
    used += tokensOf(part);
    return used > tokens;
  });
  return over === -1 ? parts.length : Math.max(1, over);
}

/**
 * Returns the first fields that fit into `tokens` together. A field that alone takes more than a quarter of them is
 * left out.
 */
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

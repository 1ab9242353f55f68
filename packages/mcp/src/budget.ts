/**
 * A budget limits the tokens that a result takes of the model that reads it. Tokens are estimated from above: three
 * bytes of UTF-8 count as one token, while a token of English has about four bytes, a token of code three, and a
 * Chinese character three bytes and about one token.
 */
export const DEFAULT_TOKENS = 8_000;
/** With fewer tokens, the text around a single record would not fit. */
export const LEAST_TOKENS = 2_000;
const BYTES_PER_TOKEN = 3;

/**
 * Gives the tokens of a part that takes `part` tokens of a result of default size: fewer when the result is
 * smaller, but not more when it is larger.
 */
export const share = (part: number, total: number): number =>
  Math.floor(part * Math.min(1, total / DEFAULT_TOKENS));

export const tokensOf = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** Gives the beginning of a text that costs more than `tokens`, cut between characters and followed by a note. */
export function cut(text: string, tokens: number, note = ' … (cut)'): string {
  if (tokensOf(text) <= tokens) return text;
  const bytes = Buffer.from(text).subarray(0, tokens * BYTES_PER_TOKEN);
  // The last character may be cut in two, which reads as U+FFFD.
  return bytes.toString().replace(/\uFFFD+$/, '') + note;
}

/** Counts how many of the parts fit, one after the other; the first one always counts. */
export function howManyFit(parts: readonly string[], tokens: number): number {
  let used = 0;
  const over = parts.findIndex((part) => {
    used += tokensOf(part);
    return used > tokens;
  });
  return over === -1 ? parts.length : Math.max(1, over);
}

/** Gives as many fields as there is room for. A field that would take a quarter of the room is left out. */
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

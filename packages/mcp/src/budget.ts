/**
 * What a result may cost the model that reads it. Tokens are estimated from above: three bytes of UTF-8 are
 * one, while English has about four, code three, and a Chinese character three bytes and about one token.
 */
export const DEFAULT_TOKENS = 8_000;
/** With less, what stands around a single record would not fit. */
export const LEAST_TOKENS = 2_000;
const BYTES_A_TOKEN = 3;

/** Of a part that takes so much of the default: less where the whole is smaller, no more where it is larger. */
export const share = (part: number, total: number): number =>
  Math.floor(part * Math.min(1, total / DEFAULT_TOKENS));

export const tokensOf = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);

/** The beginning of a text, at a character and with a note, when it costs more than so many tokens. */
export function cut(text: string, tokens: number, note = ' … (cut)'): string {
  if (tokensOf(text) <= tokens) return text;
  const bytes = Buffer.from(text).subarray(0, tokens * BYTES_A_TOKEN);
  // The last character may be cut in two, which reads as U+FFFD.
  return bytes.toString().replace(/\uFFFD+$/, '') + note;
}

/** How many of the parts fit, one after the other; the first always does. */
export function howManyFit(parts: readonly string[], tokens: number): number {
  let used = 0;
  const over = parts.findIndex((part) => {
    used += tokensOf(part);
    return used > tokens;
  });
  return over === -1 ? parts.length : Math.max(1, over);
}

/** Fields as long as there is room for them; one that would take a quarter of it is left out. */
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

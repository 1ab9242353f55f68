/**
 * These functions find and remove what a database cannot store: NUL characters (PostgreSQL refuses them) and unpaired
 * surrogates (UTF-8 cannot encode them, so they become U+FFFD).
 */
/** Returns false for a text that a database would refuse or change. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Returns the value with storable texts only. A Date becomes ISO 8601, and an invalid Date becomes null. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [storableText(key), storableJson(inner)]),
  );
}

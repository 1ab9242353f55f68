/** From what a source emits to the row that is stored: cleaned, hashed, compressed. */
import { deflateRawSync } from 'node:zlib';
import type { Entity } from '../model/entity.ts';
import { canonicalJson, sha256 } from '../model/hash.ts';

/**
 * Without what no database stores: NUL characters (PostgreSQL refuses them) and halves of surrogate
 * pairs (they have no UTF-8). Invalid dates count as absent.
 */
export function clean(entity: Entity): Entity {
  return {
    ...entity,
    name: cleanText(entity.name),
    text: cleanText(entity.text),
    url: entity.url === undefined ? undefined : cleanText(entity.url),
    breadcrumbs: entity.breadcrumbs?.map(({ id, name, type }) => ({
      id: cleanText(id),
      name: cleanText(name),
      type: cleanText(type),
    })),
    createdAt: validDate(entity.createdAt),
    updatedAt: validDate(entity.updatedAt),
    fields: cleanJson(entity.fields) as Record<string, unknown>,
  };
}

/** Covers the content and every field that a search result shows, times excepted. */
export const entityHash = ({ type, name, text, pages, url, breadcrumbs, access, fields }: Entity) =>
  `sha256:${sha256(
    canonicalJson([type, name, text, pages ?? [], url ?? '', breadcrumbs ?? [], access, fields]),
  )}`;

/** Everything a changed recipe needs to make the chunks again without asking the source. */
export const compress = (entity: Entity): Uint8Array =>
  deflateRawSync(JSON.stringify(entity), { level: 1 });

const validDate = (date: Date | undefined) =>
  date && !Number.isNaN(date.getTime()) ? date : undefined;

const cleanText = (text: string) => text.replaceAll('\0', '').toWellFormed();

function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (value instanceof Date) return validDate(value)?.toISOString() ?? null;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [cleanText(key), cleanJson(inner)]),
  );
}

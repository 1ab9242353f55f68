/**
 * Redacts whatever of an entity people or models may read: its text, name, address, breadcrumbs and
 * fields. Gives the entity itself where there is nothing to redact. Ids and principals stay: they are how it is found again, and who may see it.
 */
import type { Entity } from '../../model/entity.ts';
import { canonicalJson } from '../../model/hash.ts';
import { moved, replaced } from './spans.ts';
import { type Kind, redactText, spansOf } from './text.ts';

export function redactEntity(entity: Entity, kinds: readonly Kind[]): Entity {
  const clean = (text: string) => redactText(text, kinds);
  const spans = spansOf(entity.text, kinds);
  const { url, breadcrumbs, context, pages, ...rest } = entity;
  const redacted = {
    ...rest,
    name: clean(entity.name),
    text: replaced(entity.text, spans),
    ...(pages && { pages: moved(pages, spans) }),
    // An address with something else in it leads nowhere.
    ...(url !== undefined && isClean(url, clean) && { url }),
    ...(breadcrumbs && {
      breadcrumbs: breadcrumbs.map((one) => ({ ...one, name: clean(one.name) })),
    }),
    ...(context !== undefined && { context: clean(context) }),
    fields: cleanJson(entity.fields, clean) as Entity['fields'],
  };
  return canonicalJson(redacted) === canonicalJson(entity) ? entity : redacted;
}

function isClean(url: string, clean: (text: string) => string): boolean {
  try {
    return clean(url) === url && clean(decodeURIComponent(url)) === decodeURIComponent(url);
  } catch {
    // Not percent-encoded: what it says was looked at.
    return clean(url) === url;
  }
}

function cleanJson(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value === 'number') {
    const text = String(value);
    return clean(text) === text ? value : clean(text);
  }
  if (Array.isArray(value)) return value.map((one) => cleanJson(one, clean));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [clean(key), cleanJson(one, clean)]),
  );
}

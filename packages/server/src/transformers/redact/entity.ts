/**
 * Redacts every part of an entity that people or models may read: its text, name, address, breadcrumbs and fields.
 * Returns the entity itself when there is nothing to redact. Ids stay, because the next sync finds the entity by its
 * id. Principals stay, because they decide who may see the entity.
 */
import type { Entity } from '../../model/entity.ts';
import { canonicalJson } from '../../model/hash.ts';
import { moved, withLabels } from './spans.ts';
import { type RedactionKind, redactText, spansOf } from './text.ts';

export function redactEntity(entity: Entity, kinds: readonly RedactionKind[]): Entity {
  const clean = (text: string) => redactText(text, kinds);
  const spans = spansOf(entity.text, kinds);
  const { url, breadcrumbs, context, pages, places, about, ...rest } = entity;
  const redacted = {
    ...rest,
    name: clean(entity.name),
    text: withLabels(entity.text, spans),
    ...(pages && { pages: moved(pages, spans) }),
    ...(places && { places: places.map(clean) }),
    // An address with a replaced part does not work any more, so the whole address is left out.
    ...(url !== undefined && isClean(url, clean) && { url }),
    ...(breadcrumbs && {
      breadcrumbs: breadcrumbs.map((one) => ({ ...one, name: clean(one.name) })),
    }),
    ...(context !== undefined && { context: clean(context) }),
    fields: cleanJson(entity.fields, clean) as Entity['fields'],
    ...(about && { about: cleanJson(about, clean) as Entity['about'] }),
  };
  return canonicalJson(redacted) === canonicalJson(entity) ? entity : redacted;
}

/**
 * Checks the address in three forms: unchanged, without percent-encoding, and also with each plus sign read as a space,
 * as in a query.
 */
function isClean(url: string, clean: (text: string) => string): boolean {
  const forms = [url, decoded(url), decoded(url.replaceAll('+', ' '))];
  return forms.every((text) => clean(text) === text);
}

/** Unlike decodeURIComponent, this also reads an address in which some percent sign encodes nothing. */
const decoded = (url: string): string =>
  url.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );

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

/**
 * The header stands above every chunk of an entity, so that a search result that shows one chunk says where it comes
 * from.
 */
import type { Entity } from '../model/entity.ts';
import { inOneLine } from '../util.ts';

/** A part of the header has at most this many characters. */
const LONGEST_PART = 120;
const SEPARATOR = ' > ';

/** `parts` are breadcrumbs, name, type or `metadata.<field>`, in the order in which they stand in the header. */
export function withHeader(entity: Entity, parts: readonly string[]): Entity {
  const texts = parts.flatMap((part) => textsOf(entity, part)).map(oneLine);
  const context = texts.filter((text) => text !== '').join(SEPARATOR);
  return context === '' ? entity : { ...entity, context };
}

function textsOf(entity: Entity, part: string): string[] {
  if (part === 'breadcrumbs') return (entity.breadcrumbs ?? []).map(({ name }) => name);
  if (part === 'name') return [entity.name];
  if (part === 'type') return [entity.type];
  const field = part.replace(/^metadata\./, '');
  const value = Object.hasOwn(entity.fields, field) ? entity.fields[field] : null;
  return ['string', 'number', 'boolean'].includes(typeof value) ? [String(value)] : [];
}

function oneLine(text: string): string {
  const line = inOneLine(text);
  return line.length > LONGEST_PART ? `${line.slice(0, LONGEST_PART - 1).toWellFormed()}…` : line;
}

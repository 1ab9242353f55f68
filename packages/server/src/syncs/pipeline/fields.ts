/** Adds up counts of the fields that entities have. */
import type { Entity } from '../../model/entity.ts';
import { isNameable } from '../../model/filter.ts';

export interface FieldCount {
  readonly type: string;
  readonly field: string;
  /** This many entities of the type have the field. */
  readonly count: number;
  /** This many of these entities can be seen by every caller that may search the collection. */
  readonly open: number;
}

/** Yields a count of one for each field of an entity, if a filter can name the field. */
export function* fieldsIn(entities: Iterable<Entity>): Generator<FieldCount> {
  for (const { type, fields, access } of entities) {
    const isOpen = !access?.viewers || access.isPublic;
    for (const field of Object.keys(fields))
      if (isNameable(field)) yield { type, field, count: 1, open: isOpen ? 1 : 0 };
  }
}

export const negated = ({ count, open, ...field }: FieldCount): FieldCount => ({
  ...field,
  count: -count,
  open: -open,
});

/**
 * Returns one count for each field of a type, without zeros. They are sorted by type and field, the order in which
 * their rows are locked.
 */
export function sumOf(counts: Iterable<FieldCount>): FieldCount[] {
  const sums = new Map<string, Map<string, FieldCount>>();
  for (const { type, field, count, open } of counts) {
    const ofType = sums.get(type) ?? new Map<string, FieldCount>();
    const before = ofType.get(field) ?? { count: 0, open: 0 };
    // A database may return its numbers as text.
    const sum = { count: before.count + Number(count), open: before.open + Number(open) };
    ofType.set(field, { type, field, ...sum });
    sums.set(type, ofType);
  }
  return [...sums.values()]
    .flatMap((ofType) => [...ofType.values()])
    .filter(({ count, open }) => count !== 0 || open !== 0)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ type, field }: FieldCount): string => `${type}\0${field}`;

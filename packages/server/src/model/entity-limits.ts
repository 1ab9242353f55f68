/**
 * These limits say what every database can store of an entity. A single record beyond them harms all others: an
 * id longer than an entry of a B-tree of PostgreSQL (about 2,700 bytes) breaks the transaction that it is in,
 * and fields nested deeper than the JSON functions of SQLite go (1,000) break each search that filters by one.
 */
import type { Entity } from './entity.ts';
import { isStorable } from './storable.ts';

/** The limit counts bytes of UTF-8. */
export const MAX_ID_BYTES = 2048;
export const MAX_NESTING = 100;

export const fitsAsId = (id: string): boolean => Buffer.byteLength(id) <= MAX_ID_BYTES;

/**
 * Tells whether a value of JSON is nested more than `most` levels deep. The function works level by level and
 * keeps nothing but objects and arrays, because values may be nested deeper than the stack is, and a body may
 * hold millions of numbers.
 */
export function isNestedDeeper(value: unknown, most: number): boolean {
  let level = [value].filter(isNesting);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    const next: object[] = [];
    for (const outer of level)
      for (const inner of Array.isArray(outer) ? outer : Object.values(outer))
        if (isNesting(inner)) next.push(inner);
    level = next;
  }
  return false;
}

const isNesting = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Says what exceeds the limits, and what to do about it; null means that nothing does. */
export function excessOf({ id, fields, access }: Entity): { message: string; hint: string } | null {
  if (!fitsAsId(id))
    return {
      message: `its id is longer than ${MAX_ID_BYTES} bytes`,
      hint: 'Give it a shorter one, or leave it out.',
    };
  if (isNestedDeeper(fields, MAX_NESTING))
    return {
      message: `its fields are nested more than ${MAX_NESTING} deep`,
      hint: 'Make them flatter, or leave it out.',
    };
  // A name without these characters would be the name of another principal.
  if (access?.viewers && !access.viewers.every(isStorable))
    return {
      message: 'its access names a person or group with characters that no database keeps',
      hint: 'Leave NUL characters and halves of surrogate pairs out of these names.',
    };
  return null;
}

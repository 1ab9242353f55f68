/**
 * These limits ensure that both databases can store an entity. A single record beyond them would harm other records. An
 * id that is longer than an index entry of PostgreSQL may be (about 2,700 bytes) makes its whole transaction fail.
 * Fields that are nested deeper than SQLite's JSON functions allow (1,000 levels) make every search fail that filters
 * by a field.
 */
import type { Entity } from './entity.ts';
import { isStorable } from './storable.ts';

/** This limit is in bytes of UTF-8. */
export const MAX_ID_BYTES = 2048;
export const MAX_NESTING = 100;

export const fitsAsId = (id: string): boolean => Buffer.byteLength(id) <= MAX_ID_BYTES;

/**
 * Returns true when a JSON value is nested more than `maxDepth` levels deep. It works level by level without recursion,
 * because a value may be nested deeper than the stack allows. It keeps only objects and arrays, because a body may
 * contain millions of numbers.
 */
export function isNestedDeeper(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isNesting);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const next: object[] = [];
    for (const outer of level)
      for (const inner of Array.isArray(outer) ? outer : Object.values(outer))
        if (isNesting(inner)) next.push(inner);
    level = next;
  }
  return false;
}

const isNesting = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns what exceeds the limits and what to do about it, or null when nothing does. */
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
  // These characters cannot simply be removed, because the name would become that of another principal.
  if (access?.viewers && !access.viewers.every(isStorable))
    return {
      message: 'its access names a person or group with characters that no database keeps',
      hint: 'Give these people and groups names without NUL characters and without unpaired surrogates.',
    };
  return null;
}

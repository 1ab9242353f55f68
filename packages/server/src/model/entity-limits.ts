/**
 * What every database takes of an entity. One record beyond it costs all others: an id longer than an
 * entry of a B-tree of PostgreSQL (about 2,700 bytes) breaks the transaction that it is in, and fields
 * nested deeper than the JSON functions of SQLite go (1,000) break each search that filters by one.
 */
import type { Entity } from './entity.ts';
import { isStorable } from './storable.ts';

/** Of UTF-8. */
export const MAX_ID_BYTES = 2048;
export const MAX_NESTING = 100;

export const fitsAsId = (id: string): boolean => Buffer.byteLength(id) <= MAX_ID_BYTES;

/** Without recursion: values may be nested deeper than the stack is. */
export function isNestedDeeper(value: unknown, most: number): boolean {
  const open = [{ value, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > most) return true;
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
  return false;
}

/** What is too much of it, and what to do; null: nothing. */
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
  // Without them it would be the name of somebody else.
  if (access?.viewers && !access.viewers.every(isStorable))
    return {
      message: 'its access names somebody with signs that no database keeps',
      hint: 'Name nobody with NUL characters or halves of surrogate pairs.',
    };
  return null;
}

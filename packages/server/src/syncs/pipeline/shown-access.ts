/**
 * A record whose content fails may stay shown in an earlier form, because an older text is better than none. That form has
 * the access of its time. It must go when somebody finds it who may no longer see the record at its source.
 */
import type { Access } from '../../model/entity.ts';
import type { StoredEntity } from './store.ts';

/** Returns true when nobody finds the row who may not see a record of this access. */
export function isShownWithin(
  { is_hidden, is_public, viewers }: Pick<StoredEntity, 'is_hidden' | 'is_public' | 'viewers'>,
  access: Access | undefined,
): boolean {
  if (is_hidden || !access || access.isPublic || access.viewers === null) return true;
  if (is_public || viewers === null) return false;
  const allowed = new Set(access.viewers);
  return viewers.every((viewer) => allowed.has(viewer));
}

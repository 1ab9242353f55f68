/** These are the rules for a push that its schema cannot express. */
import { invalid, shown, tooLarge } from '../../errors.ts';
import { MAX_PUSHED, type Push } from '../../model/pushed.ts';

/** Throws a 413 when a push has too many entities. `body` is not validated yet, so it may have any shape. */
export function checkPushCount(body: unknown): void {
  const { entities, delete: deleted } = (body ?? {}) as { entities?: unknown; delete?: unknown };
  const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  const count = lengthOf(entities) + lengthOf(deleted);
  if (count > MAX_PUSHED)
    throw tooLarge(
      `${count} entities are more than the ${MAX_PUSHED} that one push may have: send several pushes`,
    );
}

/** Throws a 422 when the push writes and deletes the same entity. */
export function checkPush(push: Push): void {
  const pushed = new Set(push.entities.map((entity) => entity.entity_id));
  const index = push.delete.findIndex((deleted) => pushed.has(deleted));
  if (index >= 0)
    throw invalid(
      `'${shown(push.delete[index] ?? '')}' is in entities and in delete: leave it out of one of them`,
      { loc: ['body', 'delete', index] },
    );
}

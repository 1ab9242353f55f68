/** The rows of one table or query as items. */
import { SourceError } from '../../errors.ts';
import { fail, type Item, skip, upsert } from '../define.ts';
import { ENTITY_TYPE, rowId, toEntity } from './entity.ts';
import { MAX_ROW_BYTES, type Shape } from './shape.ts';
import type { Row } from './stream.ts';

/** Reads rows as `select` gives them. Of two neighbours with one key the second fails. */
export function rowReader(part: Shape): (row: Row) => Item {
  const { label, path, partition, key: keyNames } = part.relation;
  let before: string | undefined;

  return (row) => {
    const key = row.slice(0, keyNames.length);
    const id = rowId(
      path,
      key.map((value) => value ?? 'null'),
    );
    if (!key.every((value) => value !== null)) return broken(id, 'has no value in its key');
    if (id === before) return broken(id, 'has the same key as another row');
    before = id;
    const [, bytes, ...texts] = row.slice(keyNames.length);
    if (Number(bytes) > MAX_ROW_BYTES)
      return skip(id, ENTITY_TYPE, 'too large', {
        detail: `${bytes} bytes, and at most ${MAX_ROW_BYTES} are taken in`,
      });
    try {
      return upsert(toEntity(part, key, texts), { partition });
    } catch (error) {
      if (error instanceof SourceError && error.kind === 'skip')
        return fail(id, ENTITY_TYPE, error);
      throw error;
    }
  };

  function broken(id: string, reason: string): Item {
    const hint = `let key name columns of ${label} that together are never null and never repeat`;
    return fail(id, ENTITY_TYPE, new SourceError('skip', `the row ${reason}`, { hint }));
  }
}

/** What a row says of how far a continuous sync has come; null where it does not say. */
export const markIn = (row: Row, { relation }: Shape): string | null =>
  row[relation.key.length] ?? null;

/** Turns the rows of one table or query into items. */
import { SourceError } from '../../errors.ts';
import { sha256 } from '../../model/hash.ts';
import { fail, type SourceItem, skip, upsert } from '../items.ts';
import { lineOf, rowId, toEntity } from './entity.ts';
import { MAX_ROW_BYTES, type RawRow, type Shape } from './shape.ts';

/**
 * Returns a function that turns a row of `select` into an item. When two consecutive rows have the same key, the second
 * one becomes a failed record.
 */
export function rowReader(part: Shape): (row: RawRow) => SourceItem {
  const { label, path, partition, key: keyNames } = part.relation;
  const shown = new Set(part.shown.map(({ name }) => name));
  const isHidden = (name: string | undefined) => name !== undefined && !shown.has(name);
  let before: string | undefined;

  return (row) => {
    const key = row
      .slice(0, keyNames.length)
      .map((value, i) => (value !== null && isHidden(keyNames[i]) ? digestOf(value) : value));
    const id = rowId(
      path,
      key.map((value) => value ?? 'null'),
    );
    if (!key.every((value) => value !== null)) return broken(id, 'has no value in its key');
    if (id === before) return broken(id, 'has the same key as another row');
    before = id;
    const [, bytes, names = null, ...texts] = row.slice(keyNames.length);
    if (Number(bytes) > MAX_ROW_BYTES)
      return skip(id, label, {
        reason: 'too large',
        detail: `${bytes} bytes, and at most ${MAX_ROW_BYTES} are taken in`,
        // Searches must no longer find what the row was before.
        removes: 'record',
      });
    try {
      return upsert(toEntity(part, key, { names: namesIn(names), texts }), { partition });
    } catch (error) {
      if (error instanceof SourceError && error.kind === 'skip') return fail(id, label, error);
      throw error;
    }
  };

  function broken(id: string, reason: string): SourceItem {
    const hint = `set key to columns of ${label} that are never null and whose values together never repeat`;
    return fail(id, label, new SourceError('skip', `the row ${reason}`, { hint }));
  }
}

/** Returns the mark of the row, or null when the row has none. */
export const markIn = (row: RawRow, { relation }: Shape): string | null =>
  row[relation.key.length] ?? null;

/** When a key column holds secrets, a hash identifies the row without showing the secret. */
const digestOf = (value: string): string => sha256(value).slice(0, 32);

/** Returns the names of the rows to which the foreign keys refer, without line breaks. */
const namesIn = (json: string | null): (string | null)[] =>
  json === null ? [] : JSON.parse(json).map((name: string | null) => name && lineOf(name));

/** Splits pages of stored records into small groups. */

export interface RecordSize {
  readonly id: string;
  readonly entity_id: string;
  /** The size is in bytes, as the record is stored. */
  readonly size: number;
}

/**
 * Yields groups of records that have at most `bytes` compressed bytes together. A larger record is a group of its
 * own.
 */
export function* bySize<Record extends RecordSize>(
  page: readonly Record[],
  bytes: number,
): Generator<Record[]> {
  let some: Record[] = [];
  let size = 0;
  for (const record of page) {
    if (some.length > 0 && size + record.size > bytes) {
      yield some;
      some = [];
      size = 0;
    }
    some.push(record);
    size += record.size;
  }
  if (some.length > 0) yield some;
}

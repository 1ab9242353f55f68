/** Stored records, a few at a time. */

export interface RecordSize {
  readonly id: string;
  readonly entity_id: string;
  /** In bytes, as stored. */
  readonly size: number;
}

/** Of at most so many compressed bytes together, or one alone. */
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

/**
 * A pull of a source yields these items:
 * - `upsert(entity)`: the item holds the whole record.
 * - `stub(id, type, { version })`: the record exists; `hydrate` is not asked for it when the stored record has the same
 *   `version` and is otherwise up to date (syncs/pipeline/compare.ts). With `isAgain` it is asked in any case: something
 *   may have changed that no version shows, such as who may see the record.
 *   With `hasBelow` there may be records below it, such as the files of a message, for which the source has the function
 *   `below`. It is asked for them only when the version has changed, or when they are not stored whole; otherwise they
 *   count as seen. So the version must change whenever they do. They are in the partition of the record above them, and
 *   are deleted with it. A record that comes up without `hasBelow` has nothing below it.
 * - `remove(id)`: the source reports that the record is gone, and everything below it.
 * - `skip(id, type, { reason, detail, hint })`: the record is left out on purpose (too large, no text). Skipped records
 *   are counted by `reason`, so the reason is one of a few fixed phrases that read well after a number. The `detail`
 *   concerns only this record, such as its size, and the `hint` says what a person can do about it. The sweep deletes
 *   what is stored of the record. With `removes: 'record'` the stored record is deleted at once, as the pipeline does
 *   when the new file of a record is left out. With `removes: 'partition'` the id is the name of a partition, and the
 *   sweep deletes what is stored in or below it and was not yielded. Neither needs a confirmation. (A pull that goes on
 *   at a bookmark does not know which partitions an earlier attempt skipped in this way. For its sweep they are like
 *   partitions that the pull did not name, so a large deletion in them needs a confirmation.)
 * - `fail(id, type, error)`: the source could not read the record; what is stored of the record stays.
 * - `listed(partition)`: the partition was listed to its end. After a full pull that ended normally, the sweep deletes
 *   the stored records of a listed partition that the pull did not yield. It also deletes all records of a partition
 *   that the pull did not name, unless that partition or a partition above it (`a` is above `a/b`) was lost. An
 *   incremental pull may also yield `listed` for one partition that it has listed whole since its last checkpoint, such
 *   as all comments of an issue. Then the stored records of this partition that the pull did not yield are deleted, with
 *   the same guards as in a sweep. Records of partitions below it stay. A later cursor is stored after these deletions,
 *   even when they wait for a confirmation.
 * - `lost(partition, error)`: the partition could not be listed. Nothing in it or below it is deleted.
 * - `bookmark(position)`: a full pull has yielded everything before this point, and may go on from here when it is
 *   interrupted. Its next attempt gets the position in `bookmark`.
 * - `checkpoint(cursor)`: everything before this point may be skipped next time. The cursor is never stored before the
 *   records that come before it (a full pull stores its last cursor when the job ends), so a crash repeats work but
 *   never loses a change.
 */
import type { SourceError } from '../errors.ts';
import type { Entity } from '../model/entity.ts';
import { storableText } from '../model/storable.ts';

export interface Upsert {
  readonly kind: 'upsert';
  readonly entity: Entity;
  /**
   * The partition is a part of the source that can be listed by itself: a path of segments
   * joined by `/`; '' is the root.
   */
  readonly partition: string;
  readonly version: string | null;
  /** This is the id of the record above. The pipeline sets it for the records that `below` yields. */
  readonly parent?: string;
}
export interface Stub {
  readonly kind: 'stub';
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly partition: string;
  /** The listing has this already, so that `hydrate` need not ask for it again. It is kept in memory only. */
  readonly carry?: unknown;
  /** If true, `hydrate` is asked in any case, because what may have changed is not in the version. */
  readonly isAgain?: boolean;
  /** If true, the source is asked for the records below this one. */
  readonly hasBelow?: boolean;
  readonly parent?: string;
}
export interface LeftOut {
  readonly kind: 'skip' | 'fail';
  readonly id: string;
  readonly type: string;
  readonly reason: string;
  /** The detail is always null for a record that failed. */
  readonly detail: string | null;
  readonly hint: string | null;
  readonly removes?: Removes;
}
type Removes = 'record' | 'partition';
/** A record that is below another one. It has no records below itself. */
export type ChildRecord = Upsert | Stub | LeftOut;
/** These are all records below the record with this id. */
export interface BelowList {
  readonly kind: 'below';
  readonly id: string;
  readonly children: readonly ChildRecord[];
}
export type SourceItem =
  | Upsert
  | Stub
  | LeftOut
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'listed'; readonly partition: string }
  | { readonly kind: 'lost'; readonly partition: string; readonly error: SourceError }
  | { readonly kind: 'bookmark'; readonly position: unknown }
  | { readonly kind: 'checkpoint'; readonly cursor: unknown };

export const upsert = (
  entity: Entity,
  options: { partition?: string; version?: string } = {},
): Upsert => ({
  kind: 'upsert',
  entity,
  partition: options.partition ?? '',
  version: options.version ?? null,
});
export const stub = (
  id: string,
  type: string,
  {
    version,
    partition = '',
    carry,
    isAgain = false,
    hasBelow = false,
  }: Pick<Stub, 'version' | 'carry' | 'isAgain' | 'hasBelow'> & { readonly partition?: string },
): Stub => ({
  kind: 'stub',
  id,
  type,
  version,
  partition,
  ...(carry !== undefined && { carry }),
  ...(isAgain && { isAgain }),
  ...(hasBelow && { hasBelow }),
});
export const below = (id: string, children: readonly ChildRecord[]): BelowList => ({
  kind: 'below',
  id,
  children,
});
export const remove = (id: string): SourceItem => ({ kind: 'remove', id });
interface SkipDetails {
  readonly reason: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly removes?: Removes;
}
export const skip = (
  id: string,
  type: string,
  { reason, detail, hint, removes }: SkipDetails,
): LeftOut => ({
  kind: 'skip',
  id,
  type,
  reason: storableText(reason),
  detail: detail === undefined ? null : storableText(detail),
  hint: hint === undefined ? null : storableText(hint),
  ...(removes && { removes }),
});
export const fail = (id: string, type: string, error: SourceError): LeftOut => ({
  kind: 'fail',
  id,
  type,
  reason: error.message,
  detail: null,
  hint: error.hint ?? null,
});
export const listed = (partition: string): SourceItem => ({ kind: 'listed', partition });
export const lost = (partition: string, error: SourceError): SourceItem => ({
  kind: 'lost',
  partition,
  error,
});
export const bookmark = (position: unknown): SourceItem => ({ kind: 'bookmark', position });
export const checkpoint = (cursor: unknown): SourceItem => ({ kind: 'checkpoint', cursor });

/**
 * Decides what becomes of the records below the records of a batch, such as the files below a message.
 *
 * The row of a record notes in `below_version` at which version everything below it was stored. While a stub has this
 * version, the source is not asked for what is below it, and the rows below it count as seen. The note is written only
 * after the rows below (store-below.ts), so a process that dies between the commits asks the source again.
 */
import type { Db } from '../../db/schema.ts';
import { allConverters, type OptionalKinds } from '../../documents/kinds.ts';
import type { ConnectionScope } from '../../engines/ports.ts';
import type { Stub } from '../../sources/items.ts';
import type { ItemBatch } from './batches.ts';
import { isWholeChild, type SyncAttempt } from './compare.ts';
import { type Decision, deletes, type RowsBelow, touchOf } from './decision.ts';
import type { StoredEntity } from './store.ts';
import * as store from './store.ts';

export interface BatchBelow {
  /** These rows are below records of the batch, by the id of the record. Rows that the batch lists itself are left out. */
  readonly rows: RowsBelow;
  /** Everything below these stubs is stored and unchanged. */
  readonly unchanged: readonly Stub[];
  /** The source must be asked for everything below these stubs. */
  readonly asked: readonly Stub[];
}

export const nothingBelow: BatchBelow = { rows: new Map(), unchanged: [], asked: [] };

/**
 * Names the version of everything below a record. New converters may read files that were left out, of which no row
 * tells, so they are a part of the name.
 */
export const belowVersion = (
  { version }: Pick<Stub, 'version'>,
  optional: OptionalKinds | undefined,
): string => `${allConverters(optional)} ${version}`;

export async function belowOf(
  db: Db,
  batch: ItemBatch,
  {
    stored,
    target,
  }: {
    readonly stored: ReadonlyMap<string, StoredEntity>;
    readonly target: SyncAttempt & ConnectionScope;
  },
): Promise<BatchBelow> {
  const { noted = [], others = [] } = Object.groupBy(batch.stubs.filter(hasBelow), (stub) =>
    isNoted(stub, stored.get(stub.id), target.optional) ? 'noted' : 'others',
  );
  const listed = new Set(
    [...batch.upserts.map(({ entity }) => entity), ...batch.stubs, ...batch.leftOut].map(
      ({ id }) => id,
    ),
  );
  const isAsked = new Set(others.map(({ id }) => id));
  const ids = [...listed, ...batch.removals].filter((id) => !isAsked.has(id));
  const rows = new Map<string, readonly StoredEntity[]>();
  for (const [id, below] of await store.below(db, target, ids))
    rows.set(
      id,
      below.filter((row) => !listed.has(recordIdOf(row))),
    );
  const isWhole = ({ id }: Stub) =>
    (rows.get(id) ?? []).every((row) => row.origin !== null || isWholeChild(row, target));
  const unchanged = noted.filter(isWhole);
  return { rows, unchanged, asked: [...others, ...noted.filter((stub) => !isWhole(stub))] };
}

export const hasBelow = (stub: Stub): boolean => stub.hasBelow === true;

const isNoted = (
  stub: Stub,
  row: StoredEntity | undefined,
  optional: OptionalKinds | undefined,
): boolean =>
  row !== undefined &&
  row.origin === null &&
  !stub.isAgain &&
  row.below_version === belowVersion(stub, optional);

/** Returns the id of the source's own record to which a row belongs. */
export const recordIdOf = ({ origin, entity_id }: StoredEntity): string => origin ?? entity_id;

interface StoredBelow {
  readonly stored: ReadonlyMap<string, StoredEntity>;
  readonly below: BatchBelow;
  readonly generation: number;
}

/** Returns the decisions on rows below the records of the batch. Those that the batch removes are decided on their own. */
export function decisionsBelow(
  batch: ItemBatch,
  { stored, below, generation }: StoredBelow,
): Decision[] {
  const removed = new Set(batch.removals);
  const rowsBelow = (id: string) =>
    (below.rows.get(id) ?? []).filter((row) => !removed.has(recordIdOf(row)));
  const touched = below.unchanged.flatMap(({ id, partition }) =>
    rowsBelow(id).map((row) => touchOf(row, { ...row, partition, generation })),
  );
  const childless = [
    ...batch.upserts.map(({ entity }) => entity.id),
    ...batch.stubs.filter((stub) => !hasBelow(stub)).map(({ id }) => id),
  ];
  const deleted = childless.flatMap((id): Decision[] => {
    const isNoted = (stored.get(id)?.below_version ?? null) !== null;
    // The note goes first: if the process dies before the deletions, the next pull still finds the rows by their parent.
    const note = isNoted ? [{ kind: 'below', id, version: null } as const] : [];
    return [...note, ...deletes(rowsBelow(id))];
  });
  return [...touched, ...deleted];
}

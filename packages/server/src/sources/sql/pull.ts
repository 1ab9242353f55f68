/**
 * Reads tables and queries, each in one read-only transaction that sees one state of the database. Each table or query
 * is one partition. A table that cannot be read is reported as lost, and the pull continues with the next. A broken
 * connection ends the pull.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { PullContext } from '../define.ts';
import { bookmark, checkpoint, listed, lost, type SourceItem } from '../items.ts';
import type { Selection } from './config.ts';
import type { Batches, Database, DatabaseOpener, Part, PlanPart } from './database.ts';
import { errorOfOnePart, isUnreadable, partitionOf } from './plan.ts';
import { markIn, rowReader } from './rows.ts';
import type { RawRow, Shape, ShapedColumn } from './shape.ts';

/** A continuous sync has a checkpoint after this many rows. */
const CHECKPOINT_ROWS = 500;
/** A full pull has a bookmark after this many rows of a table. */
const BOOKMARK_ROWS = 2000;

export const TableCursor = z.strictObject({
  /** The marks are values of this column. */
  field: z.string(),
  /** Maps a partition to its mark, in the text form of the server. A partition without a mark is read in full. */
  marks: z.record(z.string(), z.string()),
  /**
   * Maps a partition to the type of the column there, because a mark is valid only while the column has the same type.
   */
  types: z.record(z.string(), z.string()).optional(),
});
type TableCursor = z.infer<typeof TableCursor>;

/** This is the position in a bookmark, at which an interrupted full pull goes on. */
const PullPosition = z.strictObject({
  /** These partitions have been read, or could not be read. */
  done: z.array(z.string()),
  marks: z.record(z.string(), z.string()),
  /**
   * This is the table that the pull has read in part: `after` is the place of the last row, and `newest` the greatest
   * mark of the table when the pull began to read it.
   */
  table: z
    .strictObject({
      partition: z.string(),
      after: z.array(z.string()),
      newest: z.string().nullable(),
    })
    .nullable(),
});
type PullPosition = z.infer<typeof PullPosition>;

type Marks = Map<string, string>;

interface Progress {
  readonly done: string[];
  readonly marks: Marks;
  readonly types: Map<string, string>;
  /** This is the table that the interrupted attempt has read in part. */
  readonly table: PullPosition['table'];
}

interface PullState {
  readonly database: Database;
  readonly ctx: Pick<PullContext<unknown, unknown, TableCursor>, 'cursor' | 'cursorField'>;
  readonly progress: Progress;
}

type RowItems = AsyncGenerator<SourceItem, void, void>;

export const pullWith =
  <Credentials>(open: DatabaseOpener<Credentials>) =>
  (ctx: PullContext<Selection, Credentials, TableCursor>): RowItems =>
    pull(ctx, () => open(ctx, 0));

async function* pull(
  ctx: PullContext<Selection, unknown, TableCursor>,
  open: () => Promise<Database>,
): RowItems {
  const { cursor, cursorField, config } = ctx;
  const database = await open();
  try {
    const parts = await database.plan(config);
    requireColumn(cursorField, parts);
    // Marks of another column are dropped, and so are marks of partitions that no longer exist.
    const existing = new Set(parts.map(partitionOf));
    const before: Omit<TableCursor, 'field'> =
      cursor && cursor.field === cursorField ? cursor : { marks: {} };
    const interrupted = PullPosition.nullable().parse(ctx.bookmark);
    const ofExisting = (values: Readonly<Record<string, string>> = {}) =>
      new Map(Object.entries(values).filter(([partition]) => existing.has(partition)));
    const marks: Marks = ofExisting(interrupted?.marks ?? before.marks);
    const types = ofExisting(before.types);
    for (const part of parts)
      if (!isUnreadable(part))
        noteType(columnOf(part.shape, cursorField), part.shape, { marks, types });
    const done = [...(interrupted?.done ?? [])];
    const progress: Progress = { done, marks, types, table: interrupted?.table ?? null };
    for (const part of parts) {
      const partition = partitionOf(part);
      if (done.includes(partition)) continue;
      if (isUnreadable(part)) yield lost(partition, part.error);
      else yield* pullPart(part, { database, ctx, progress });
      done.push(partition);
      if (cursor === null && done.length < parts.length) yield bookmarkOf(progress, null);
    }
    if (cursorField !== null) yield checkpointOf(cursorField, progress);
  } finally {
    await database.close();
  }
}

const checkpointOf = (
  field: string,
  { marks, types }: Pick<Progress, 'marks' | 'types'>,
): SourceItem =>
  checkpoint({
    field,
    marks: Object.fromEntries(marks),
    types: Object.fromEntries(types),
  } satisfies TableCursor);

const bookmarkOf = ({ done, marks }: Progress, table: PullPosition['table']): SourceItem =>
  bookmark({ done: [...done], marks: Object.fromEntries(marks), table } satisfies PullPosition);

const columnOf = ({ columns }: Shape, name: string | null) =>
  columns.find((one) => one.name === name);

/**
 * Stores the present type of the column. When the type has changed, the mark is dropped, and the partition is read in
 * full.
 */
function noteType(
  by: ShapedColumn | undefined,
  { relation: { partition } }: Shape,
  { marks, types }: Pick<Progress, 'marks' | 'types'>,
): void {
  const before = types.get(partition);
  if (before !== undefined && before !== by?.typeName) marks.delete(partition);
  if (by) types.set(partition, by.typeName);
  else types.delete(partition);
}

/** Without this check, every sync would read everything when cursor_field is misspelt. */
function requireColumn(field: string | null, parts: readonly PlanPart[]): void {
  const readable = parts.flatMap((part) => (isUnreadable(part) ? [] : [part]));
  if (field === null || readable.length === 0) return;
  if (!readable.some(({ shape }) => columnOf(shape, field)))
    throw new SourceError(
      'config',
      `no table or query has the column ${field}, which cursor_field names`,
    );
}

async function* pullPart(part: Part, state: PullState): RowItems {
  const { database, ctx } = state;
  const { relation } = part.shape;
  await database.begin();
  try {
    yield* pullRows(part, state);
    await database.commit();
  } catch (error) {
    const reason = errorOfOnePart(error, relation);
    await database.rollback();
    yield lost(relation.partition, reason);
    return;
  }
  if (ctx.cursor === null) yield listed(relation.partition);
}

async function* pullRows(part: Part, { ctx, progress }: PullState): RowItems {
  const { marks } = progress;
  const { shape } = part;
  const { partition, kind } = shape.relation;
  const by = columnOf(shape, ctx.cursorField);
  const start = marks.get(partition);
  const partlyRead = progress.table?.partition === partition ? progress.table : null;
  const newest = partlyRead ? partlyRead.newest : by ? await part.newestMark(by) : null;
  const read = rowReader(shape);
  // A query has no bookmarks, because its keys may be null or repeat.
  const hasBookmarks = ctx.cursor === null && kind === 'table';

  if (by && start !== undefined) yield* pullFrom(part, { by, start, read, progress });
  else
    for await (const [row, count] of counted(part.rows(partlyRead?.after ?? null))) {
      yield read(row);
      if (hasBookmarks && count % BOOKMARK_ROWS === 0)
        yield bookmarkOf(progress, { partition, after: part.placeOf(row), newest });
    }
  if (newest === null) marks.delete(partition);
  else marks.set(partition, newest);
}

async function* pullFrom(
  part: Part,
  at: { by: ShapedColumn; start: string; read: (row: RawRow) => SourceItem; progress: Progress },
): RowItems {
  const { by, start, read, progress } = at;
  for await (const [row, count] of counted(part.rowsFrom(by, start))) {
    yield read(row);
    const reached = markIn(row, part.shape);
    if (count % CHECKPOINT_ROWS > 0 || reached === null) continue;
    progress.marks.set(part.shape.relation.partition, reached);
    yield checkpointOf(by.name, progress);
  }
}

/** Yields rows with their numbers, from 1 on. */
async function* counted(batches: Batches): AsyncGenerator<[RawRow, number]> {
  let count = 0;
  for await (const batch of batches) for (const row of batch) yield [row, ++count];
}

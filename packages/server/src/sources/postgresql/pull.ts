/**
 * Reads tables and queries, each in one read-only transaction that sees one state of the database. Each table or query
 * is one partition. A table that cannot be read is reported as lost, and the pull continues with the next. A broken
 * connection ends the pull.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { must } from '../../util.ts';
import type { PullContext } from '../define.ts';
import { bookmark, checkpoint, listed, lost, type SourceItem } from '../items.ts';
import type { Credentials } from './credentials.ts';
import { fromMark, markOf, newestMark } from './marks.ts';
import { errorOfOnePart, isUnreadable, type PlanPart, partitionOf, planParts } from './plan.ts';
import type { Selection } from './relations.ts';
import { markIn, rowReader } from './rows.ts';
import { type DatabaseSession, openSession } from './session.ts';
import { columnSql, type Shape, type ShapedColumn, select } from './shape.ts';
import type { RawRow } from './stream.ts';

/** A continuous sync has a checkpoint after this many rows. */
const CHECKPOINT_ROWS = 500;
/** A full pull has a bookmark after this many rows of a table. */
const BOOKMARK_ROWS = 2000;

interface TableCursor {
  /** The marks are values of this column. */
  readonly field: string;
  /** Maps a partition to its mark, in PostgreSQL's text form. A partition without a mark is read in full. */
  readonly marks: Readonly<Record<string, string>>;
  /**
   * Maps a partition to the type of the column there, because a mark is valid only while the column has the same type.
   */
  readonly types?: Readonly<Record<string, string>>;
}

/** This is the position in a bookmark, at which an interrupted full pull goes on. */
const PullPosition = z.strictObject({
  /** These partitions have been read, or could not be read. */
  done: z.array(z.string()),
  marks: z.record(z.string(), z.string()),
  /**
   * This is the table that the pull has read in part: `after` is the key of the last row, and `newest` the greatest
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

type TablePullContext = PullContext<Selection, Credentials, TableCursor>;
type Marks = Map<string, string>;

interface Progress {
  readonly done: string[];
  readonly marks: Marks;
  readonly types: Map<string, string>;
  /** This is the table that the interrupted attempt has read in part. */
  readonly table: PullPosition['table'];
}

interface PullState {
  readonly ctx: TablePullContext;
  readonly progress: Progress;
}

export async function* pull(ctx: TablePullContext): AsyncGenerator<SourceItem, void, void> {
  const { cursor, cursorField, credentials, config } = ctx;
  const session = await openSession(ctx, 0);
  try {
    const parts = await planParts(session, credentials.schema, config);
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
      if (!isUnreadable(part)) noteType(columnOf(part, cursorField), part, { marks, types });
    const done = [...(interrupted?.done ?? [])];
    const progress: Progress = { done, marks, types, table: interrupted?.table ?? null };
    for (const part of parts) {
      const partition = partitionOf(part);
      if (done.includes(partition)) continue;
      if (isUnreadable(part)) yield lost(partition, part.error);
      else yield* pullPart(session, part, { ctx, progress });
      done.push(partition);
      if (cursor === null && done.length < parts.length) yield bookmarkOf(progress, null);
    }
    if (cursorField !== null) yield checkpointOf(cursorField, progress);
  } finally {
    await session.close();
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
  if (before !== undefined && before !== by?.type.sql) marks.delete(partition);
  if (by) types.set(partition, by.type.sql);
  else types.delete(partition);
}

/** Without this check, every sync would read everything when cursor_field is misspelt. */
function requireColumn(field: string | null, parts: readonly PlanPart[]): void {
  const readable = parts.flatMap((part) => (isUnreadable(part) ? [] : [part]));
  if (field === null || readable.length === 0) return;
  if (!readable.some(({ columns }) => columns.some(({ name }) => name === field)))
    throw new SourceError(
      'config',
      `no table or query has the column ${field}, which cursor_field names`,
    );
}

async function* pullPart(
  session: DatabaseSession,
  part: Shape,
  state: PullState,
): AsyncGenerator<SourceItem, void, void> {
  const { relation } = part;
  await session.begin();
  try {
    yield* pullRows(session, part, state);
    await session.commit();
  } catch (error) {
    const reason = errorOfOnePart(error, relation);
    await session.rollback();
    yield lost(relation.partition, reason);
    return;
  }
  if (state.ctx.cursor === null) yield listed(relation.partition);
}

async function* pullRows(
  session: DatabaseSession,
  part: Shape,
  { ctx, progress }: PullState,
): AsyncGenerator<SourceItem, void, void> {
  const { marks } = progress;
  const { partition } = part.relation;
  const by = columnOf(part, ctx.cursorField);
  const start = marks.get(partition);
  const partlyRead = progress.table?.partition === partition ? progress.table : null;
  const newest = partlyRead ? partlyRead.newest : by ? await newestMark(session, part, by) : null;
  const read = rowReader(part);

  if (by && start !== undefined) yield* pullFrom(session, part, { by, start, read, progress });
  else
    for await (const [row, count] of counted(
      session.stream(...selectAll(part, partlyRead?.after)),
    )) {
      yield read(row);
      const after = count % BOOKMARK_ROWS === 0 ? keyAfter(row, part) : null;
      if (after && ctx.cursor === null) yield bookmarkOf(progress, { partition, after, newest });
    }
  if (newest === null) marks.delete(partition);
  else marks.set(partition, newest);
}

async function* pullFrom(
  session: DatabaseSession,
  part: Shape,
  at: { by: ShapedColumn; start: string; read: (row: RawRow) => SourceItem; progress: Progress },
): AsyncGenerator<SourceItem, void, void> {
  const { by, start, read, progress } = at;
  const order = `${columnSql(by.name)}, ${keyOf(part)}`;
  const text = `${select(part, markOf(by))} where ${fromMark(by)} order by ${order}`;
  let rows = 0;
  for await (const batch of session.stream(text, [start]))
    for (const row of batch) {
      yield read(row);
      const reached = markIn(row, part);
      if (++rows % CHECKPOINT_ROWS > 0 || reached === null) continue;
      progress.marks.set(part.relation.partition, reached);
      yield checkpointOf(by.name, progress);
    }
}

/** Yields rows with their numbers, from 1 on. */
async function* counted(
  batches: AsyncIterable<readonly RawRow[]>,
): AsyncGenerator<[RawRow, number]> {
  let count = 0;
  for await (const batch of batches) for (const row of batch) yield [row, ++count];
}

/** Returns SQL for all rows, or for the rows after the row with this key. */
function selectAll(part: Shape, after: readonly string[] | undefined): [string, string[]] {
  const all = select(part, 'null');
  const order = `order by ${keyOf(part)}`;
  if (!after) return [`${all} ${order}`, []];
  const values = part.relation.key.map((name, i) => `$${i + 1}::${typeOf(part, name)}`);
  return [`${all} where (${keyOf(part)}) > (${values.join(', ')}) ${order}`, [...after]];
}

const typeOf = (part: Shape, name: string) =>
  must(part.columns.find((one) => one.name === name)).type.sql;

/**
 * Returns the key of a row of a table, after which a pull may go on. Returns null for a query, because its keys may be
 * null or repeat.
 */
function keyAfter(row: RawRow, { relation }: Shape): string[] | null {
  const key = row.slice(0, relation.key.length);
  return relation.kind === 'table' ? key.map((value) => must(value)) : null;
}

const keyOf = ({ relation }: Shape) => relation.key.map(columnSql).join(', ');

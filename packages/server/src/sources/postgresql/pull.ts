/**
 * Reads tables and queries, each in one read-only transaction that sees one state of the database. A table that
 * cannot be read is lost and the others go on; a broken connection ends the pull.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { must } from '../../util.ts';
import {
  bookmark,
  checkpoint,
  listed,
  lost,
  type PullContext,
  type SourceItem,
} from '../define.ts';
import type { Credentials } from './credentials.ts';
import { fromMark, markOf, newestMark } from './marks.ts';
import { isRefused, ofOnePart, type PlanPart, partitionOf, planParts } from './plan.ts';
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
  /** The marks stand by partition, as PostgreSQL writes them. A part without a mark is read as a whole. */
  readonly marks: Readonly<Record<string, string>>;
  /** The types of the column stand by partition: marks of one type say nothing about another type. */
  readonly types?: Readonly<Record<string, string>>;
}

/** A full pull may go on at this position. */
const PullPosition = z.strictObject({
  /** These partitions have been read, or could not be read. */
  done: z.array(z.string()),
  marks: z.record(z.string(), z.string()),
  /**
   * This table is in work: `after` is the key of its last row, and `newest` its newest mark
   * when the pull began to read it.
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
  /** The table is that of the attempt that was interrupted. */
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
    // Marks of another column say nothing about this one, and marks of partitions that are gone are dropped.
    const known = new Set(parts.map(partitionOf));
    const before: Omit<TableCursor, 'field'> =
      cursor && cursor.field === cursorField ? cursor : { marks: {} };
    const interrupted = PullPosition.nullable().parse(ctx.bookmark);
    const ofKnown = (values: Readonly<Record<string, string>> = {}) =>
      new Map(Object.entries(values).filter(([partition]) => known.has(partition)));
    const marks: Marks = ofKnown(interrupted?.marks ?? before.marks);
    const types = ofKnown(before.types);
    for (const part of parts)
      if (!isRefused(part)) note(columnOf(part, cursorField), part, { marks, types });
    const done = [...(interrupted?.done ?? [])];
    const progress: Progress = { done, marks, types, table: interrupted?.table ?? null };
    for (const part of parts) {
      const partition = partitionOf(part);
      if (done.includes(partition)) continue;
      if (isRefused(part)) yield lost(partition, part.error);
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

/** Notes of which type the column is now. A mark of another type is dropped, and the part is read as a whole. */
function note(
  by: ShapedColumn | undefined,
  { relation: { partition } }: Shape,
  { marks, types }: Pick<Progress, 'marks' | 'types'>,
): void {
  const before = types.get(partition);
  if (before !== undefined && before !== by?.type.sql) marks.delete(partition);
  if (by) types.set(partition, by.type.sql);
  else types.delete(partition);
}

/** Without this check, a misspelt cursor_field would make every sync read everything. */
function requireColumn(field: string | null, parts: readonly PlanPart[]): void {
  const readable = parts.flatMap((part) => (isRefused(part) ? [] : [part]));
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
    const reason = ofOnePart(error, relation);
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
  const inHand = progress.table?.partition === partition ? progress.table : null;
  const newest = inHand ? inHand.newest : by ? await newestMark(session, part, by) : null;
  const read = rowReader(part);

  if (by && start !== undefined) yield* pullFrom(session, part, { by, start, read, progress });
  else
    for await (const [row, count] of counted(session.stream(...wholeFrom(part, inHand?.after)))) {
      yield read(row);
      const after = count % BOOKMARK_ROWS === 0 ? afterOf(row, part) : null;
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
  for await (const run of session.stream(text, [start]))
    for (const row of run) {
      yield read(row);
      const reached = markIn(row, part);
      if (++rows % CHECKPOINT_ROWS > 0 || reached === null) continue;
      progress.marks.set(part.relation.partition, reached);
      yield checkpointOf(by.name, progress);
    }
}

/** Yields rows with their numbers, from 1 on. */
async function* counted(runs: AsyncIterable<readonly RawRow[]>): AsyncGenerator<[RawRow, number]> {
  let count = 0;
  for await (const run of runs) for (const row of run) yield [row, ++count];
}

/** Returns SQL for all rows, or for the rows after the row with this key. */
function wholeFrom(part: Shape, after: readonly string[] | undefined): [string, string[]] {
  const all = select(part, 'null');
  const order = `order by ${keyOf(part)}`;
  if (!after) return [`${all} ${order}`, []];
  const values = part.relation.key.map((name, i) => `$${i + 1}::${typeOf(part, name)}`);
  return [`${all} where (${keyOf(part)}) > (${values.join(', ')}) ${order}`, [...after]];
}

const typeOf = (part: Shape, name: string) =>
  must(part.columns.find((one) => one.name === name)).type.sql;

/**
 * Returns the row's key if reading may go on after it, and otherwise null: the key of
 * a query may be null, or repeat.
 */
function afterOf(row: RawRow, { relation }: Shape): string[] | null {
  const key = row.slice(0, relation.key.length);
  return relation.kind === 'table' ? key.map((value) => must(value)) : null;
}

const keyOf = ({ relation }: Shape) => relation.key.map(columnSql).join(', ');

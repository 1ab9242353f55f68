/**
 * Reading tables and queries, each in one read-only transaction that sees one state of the database.
 * A table that cannot be read is lost and the others go on; a broken connection ends the pull.
 */
import { SourceError } from '../../errors.ts';
import { checkpoint, type Item, listed, lost, type PullContext } from '../define.ts';
import type { Credentials } from './connect.ts';
import { fromMark, markOf, newestMark } from './marks.ts';
import { isRefused, ofOnePart, type Part, partitionOf, planParts } from './plan.ts';
import type { Selection } from './relations.ts';
import { markIn, rowReader } from './rows.ts';
import { openSession, type Session } from './session.ts';
import { column, type Shape, type ShapedColumn, select } from './shape.ts';
import type { Row } from './stream.ts';

/** Rows between two checkpoints of a continuous sync. */
const CHECKPOINT_ROWS = 500;

interface Cursor {
  /** The column that the marks are values of. */
  readonly field: string;
  /** By partition, as PostgreSQL writes it. A part without one is read whole. */
  readonly marks: Readonly<Record<string, string>>;
}

type Context = PullContext<Selection, Credentials, Cursor>;
type Marks = Map<string, string>;

export async function* pull(ctx: Context): AsyncGenerator<Item, void, void> {
  const { cursor, cursorField, credentials, config } = ctx;
  const session = await openSession(ctx, 0);
  try {
    const parts = await planParts(session, credentials.schema, config);
    requireColumn(cursorField, parts);
    // Marks of another column say nothing about this one, and those of what is gone are dropped.
    const known = new Set(parts.map(partitionOf));
    const before = cursor && cursor.field === cursorField ? Object.entries(cursor.marks) : [];
    const marks: Marks = new Map(before.filter(([partition]) => known.has(partition)));
    for (const part of parts) {
      if (isRefused(part)) yield lost(part.partition, part.error);
      else yield* pullPart(session, part, ctx, marks);
    }
    if (cursorField !== null) yield checkpointOf(cursorField, marks);
  } finally {
    await session.close();
  }
}

const checkpointOf = (field: string, marks: Marks): Item =>
  checkpoint({ field, marks: Object.fromEntries(marks) } satisfies Cursor);

/** A misspelt cursor_field would otherwise read everything, always. */
function requireColumn(field: string | null, parts: readonly Part[]): void {
  const readable = parts.flatMap((part) => (isRefused(part) ? [] : [part]));
  if (field === null || readable.length === 0) return;
  if (!readable.some(({ columns }) => columns.some(({ name }) => name === field)))
    throw new SourceError(
      'config',
      `no table or query has the column ${field}, which cursor_field names`,
    );
}

async function* pullPart(
  session: Session,
  part: Shape,
  ctx: Context,
  marks: Marks,
): AsyncGenerator<Item, void, void> {
  const { relation } = part;
  await session.begin();
  try {
    yield* pullRows(session, part, ctx, marks);
    await session.commit();
  } catch (error) {
    const reason = ofOnePart(error, relation);
    await session.rollback();
    yield lost(relation.partition, reason);
    return;
  }
  if (ctx.cursor === null) yield listed(relation.partition);
}

async function* pullRows(
  session: Session,
  part: Shape,
  ctx: Context,
  marks: Marks,
): AsyncGenerator<Item, void, void> {
  const { partition } = part.relation;
  const by = part.columns.find(({ name }) => name === ctx.cursorField);
  const start = marks.get(partition);
  const newest = by ? await newestMark(session, part, by) : null;
  const read = rowReader(part, ctx.credentials.schema);

  if (by && start !== undefined) yield* pullFrom(session, part, { by, start, read, marks });
  else {
    const text = `${select(part, 'null')} order by ${keyOf(part)}`;
    for await (const run of session.stream(text, [])) for (const row of run) yield read(row);
  }
  if (newest === null) marks.delete(partition);
  else marks.set(partition, newest);
}

async function* pullFrom(
  session: Session,
  part: Shape,
  at: { by: ShapedColumn; start: string; read: (row: Row) => Item; marks: Marks },
): AsyncGenerator<Item, void, void> {
  const { by, start, read, marks } = at;
  const order = `${column(by.name)}, ${keyOf(part)}`;
  const text = `${select(part, markOf(by))} where ${fromMark(by)} order by ${order}`;
  let rows = 0;
  for await (const run of session.stream(text, [start]))
    for (const row of run) {
      yield read(row);
      const reached = markIn(row, part);
      if (++rows % CHECKPOINT_ROWS > 0 || reached === null) continue;
      marks.set(part.relation.partition, reached);
      yield checkpointOf(by.name, marks);
    }
}

const keyOf = ({ relation }: Shape) => relation.key.map(column).join(', ');

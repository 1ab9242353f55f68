/** This is what the sources of databases must offer, so that pull.ts and check.ts can read them. */
import type { SourceContext } from '../define.ts';
import type { Selection } from './config.ts';
import type { Relation, UnreadableTable } from './relations.ts';
import type { RawRow, Shape, ShapedColumn } from './shape.ts';

/** Each transaction is read-only and sees one state of the database. */
export interface Transactions {
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** The caller must call this after a failed statement. */
  rollback(): Promise<void>;
}

/** A database is one open connection. It yields the rows of one table or query at a time. */
export interface Database extends Transactions {
  /** Returns the relations that the selection chooses. The caller must have begun a transaction. */
  relations(selection: Selection): Promise<(Relation | UnreadableTable)[]>;
  /** Describes the relations that the selection chooses, in transactions of its own. */
  plan(selection: Selection): Promise<PlanPart[]>;
  close(): Promise<void>;
}

/** A part is a table or query that can be read. The caller must have begun a transaction and read rows to their end. */
export interface Part {
  readonly shape: Shape;
  /** Returns the greatest mark of all rows, or null when no row has one. */
  newestMark(by: ShapedColumn): Promise<string | null>;
  /** Yields batches of rows in the order of the key: all rows, or the rows after this place. */
  rows(after: readonly string[] | null): Batches;
  /** Yields batches of the rows from this mark on, in the order of the column. */
  rowsFrom(by: ShapedColumn, mark: string): Batches;
  /** Returns the place of a row of a table, after which `rows` can go on. */
  placeOf(row: RawRow): string[];
}

export type Batches = AsyncGenerator<readonly RawRow[], void, void>;

export type PlanPart = Part | UnreadableTable;

/** A statement may take `statementMs` milliseconds; 0 means without a limit. */
export type DatabaseOpener<Credentials> = (
  ctx: SourceContext<unknown, Credentials>,
  statementMs: number,
) => Promise<Database>;

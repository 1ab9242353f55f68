/** Turns the lines of a backup into parts, and compares the rows of each table with its totals. */
import type { z } from 'zod';
import type { TableShape } from '../db/catalog.ts';
import { must } from '../util.ts';
import { type BackupEnd, EndLine, TableLine, TotalsLine } from './format.ts';
import {
  type CopiedRow,
  type CopyPart,
  digestOfTables,
  TableDigest,
  type TableTotals,
} from './parts.ts';

interface BegunTable {
  readonly shape: TableShape;
  readonly width: number;
  readonly digest: TableDigest;
}

export class PartReader {
  readonly #totals: TableTotals[] = [];
  #table: BegunTable | null = null;
  #end: BackupEnd | null = null;

  /** Throws an Error that says what is wrong with the lines. */
  *read(lines: readonly string[]): Generator<CopyPart> {
    let rows: CopiedRow[] = [];
    for (const line of lines) {
      if (this.#end) throw new Error('a line follows its last line');
      const value: unknown = JSON.parse(line);
      if (Array.isArray(value)) {
        rows.push(value);
        continue;
      }
      if (rows.length > 0) yield this.#rows(rows);
      rows = [];
      const part = this.#control(value as object);
      if (part) yield part;
    }
    if (rows.length > 0) yield this.#rows(rows);
  }

  /** Returns the last line. */
  end(): BackupEnd {
    return must(this.#end, 'its end is missing');
  }

  #rows(rows: readonly CopiedRow[]): CopyPart {
    const { width, digest } = must(this.#table, 'rows come without a table');
    if (rows.some(({ length }) => length !== width))
      throw new Error('a row does not fit its table');
    digest.add(rows);
    return { rows };
  }

  /** Returns null for the last line. */
  #control(value: object): CopyPart | null {
    if ('table' in value) return { table: this.#begin(checked(TableLine, value)) };
    if ('sequence' in value) return { totals: this.#finish(checked(TotalsLine, value)) };
    const end = checked(EndLine, value);
    if (this.#table || end.digest !== digestOfTables(this.#totals))
      throw new Error('its tables are not those that were written');
    this.#end = end;
    return null;
  }

  #begin({ table: name, key, columns }: z.infer<typeof TableLine>): TableShape {
    if (this.#table) throw new Error(`the totals of ${this.#table.shape.name} are missing`);
    const shape = { name, key, columns };
    this.#table = { shape, width: Object.keys(columns).length, digest: new TableDigest(shape) };
    return shape;
  }

  #finish(stored: z.infer<typeof TotalsLine>): TableTotals {
    const { shape, digest } = must(this.#table, 'totals come without a table');
    if (digest.rows !== stored.rows || digest.digest !== stored.digest)
      throw new Error(`the rows of ${shape.name} are not those that were written`);
    const totals = { table: shape.name, ...stored };
    this.#totals.push(totals);
    this.#table = null;
    return totals;
  }
}

function checked<T>(schema: z.ZodType<T>, value: object): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error('a line cannot be understood');
}

/**
 * The contents of a database as a stream of parts, which is the same for both databases: for each table its shape, its rows
 * in pages, and its totals. A backup is this stream in a file, and a move sends it from one database to another.
 */
import { hash } from 'node:crypto';
import type { ColumnKind, TableShape } from '../db/catalog.ts';
import { canonicalJson, sha256 } from '../model/hash.ts';

/**
 * Values are in the form in which JSON can have them: bytes are base64, JSON is its text, an integer that JavaScript would
 * round is its digits, and a number that JSON lacks is its name (`NaN`, `-0`).
 */
export type CopiedValue = string | number | boolean | null;
export type CopiedRow = readonly CopiedValue[];

export interface TableTotals {
  readonly table: string;
  readonly rows: number;
  readonly digest: string;
  /** This is the last number that the database has assigned as a key; null when it assigns none or has assigned none. */
  readonly sequence: number | null;
}

export type CopyPart =
  | { readonly table: TableShape }
  | { readonly rows: readonly CopiedRow[] }
  | { readonly totals: TableTotals };

export type CopyStream = AsyncIterable<CopyPart>;

/** The function is called after each page of rows. */
export type CopyProgress = (table: string, rows: number) => void;

const MODULUS = 2n ** 256n;
/** A SHA-256 has this many words of 32 bits. */
const WORDS = 8;

/**
 * Adds up the SHA-256 of the rows. So the digest does not depend on their order, which differs between databases, because
 * each of them compares texts in its own way.
 */
export class TableDigest {
  readonly #kinds: readonly ColumnKind[];
  readonly #isCanonical: boolean;
  #sum = 0n;
  #rows = 0;

  constructor({ columns }: TableShape) {
    this.#kinds = Object.values(columns);
    this.#isCanonical = !this.#kinds.some((kind) => kind === 'json' || kind === 'real');
  }

  add(rows: readonly CopiedRow[]): void {
    // A number holds the sum of two million words of 32 bits, and adding numbers is much faster than adding bigints.
    const sums = new Float64Array(WORDS);
    let pageSum = 0n;
    for (const row of rows) {
      const text = JSON.stringify(this.#isCanonical ? row : this.#canonical(row));
      const digest = hash('sha256', text, 'buffer');
      for (let word = 0; word < WORDS; word++) sums[word]! += digest.readUInt32BE(word * 4);
    }
    for (const sum of sums) pageSum = (pageSum << 32n) + BigInt(sum);
    this.#sum = (this.#sum + pageSum) % MODULUS;
    this.#rows += rows.length;
  }

  get rows(): number {
    return this.#rows;
  }

  get digest(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }

  #canonical(row: CopiedRow): CopiedRow {
    return row.map((value, at) => {
      // PostgreSQL does not keep the order of the keys of an object, nor the spaces between them.
      if (this.#kinds[at] === 'json' && typeof value === 'string')
        return canonicalJson(JSON.parse(value));
      // SQLite stores 0 for -0.
      return this.#kinds[at] === 'real' && value === '-0' ? 0 : value;
    });
  }
}

/** Returns one digest of all tables. It is the same for databases of either kind with the same contents. */
export const digestOfTables = (totals: readonly TableTotals[]): string =>
  sha256(
    totals
      .map(({ table, rows, digest }) => `${table} ${rows} ${digest}\n`)
      .toSorted()
      .join(''),
  );

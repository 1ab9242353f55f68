/** Makes contents of a database with values that are easily changed on the way, in every column of every table. */

import {
  type CopiedRow,
  type CopiedValue,
  type CopyPart,
  type CopyStream,
  TableDigest,
} from '../../backup/parts.ts';
import type { ColumnKind, TableShape } from '../../db/catalog.ts';

/** Every text of a row is the same, so that rows refer to each other. */
const textOf = (at: number) =>
  `${at} "quoted" 'text' \\n\n\r\t\u2028\u0001 ünï🦉 {"a": [1]} %_ ;--`;

const INTEGERS = [0, -1, 2_147_483_647];
const LONG_INTEGERS = ['9007199254740993', '-9223372036854775808', 9_007_199_254_740_991];
const REALS = [0.1, 5e-324, -1.797_693_134_862_315_7e308, '-0'];
const JSONS = [
  '{"b":1,"a":{"z":[1.5,-0.1,1e+30],"10":true,"9":null}}',
  '[ "ü🦉", {"__proto__":1} ]',
  'null',
  '"{}"',
];
const BYTES = [Buffer.alloc(0), Buffer.from(Array.from({ length: 256 }, (_, i) => i))];

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;

/** PostgreSQL has columns for 32 bits and for 64; those of a time have 64. */
function awkwardValue(name: string, kind: ColumnKind, at: number): CopiedValue {
  switch (kind) {
    case 'text':
      return textOf(at);
    case 'integer':
      return /_at$/.test(name) ? pick(LONG_INTEGERS, at) : pick(INTEGERS, at);
    case 'real':
      return pick(REALS, at);
    case 'boolean':
      return at % 2 === 0;
    case 'json':
      return pick(JSONS, at);
    case 'bytes':
      return pick(BYTES, at).toString('base64');
  }
}

const LEASES: ReadonlySet<string> = new Set(['lease_token', 'lease_until', 'claim']);

/** The keys of the rows differ, and a row may have a larger value than most. */
function rowOf({ key, columns }: TableShape, at: number, bytes: number): CopiedRow {
  return Object.entries(columns).map(([name, kind]) => {
    // A restore ends the leases.
    if (LEASES.has(name)) return null;
    if (kind === 'integer' && key.includes(name)) return at + 1;
    if (kind === 'bytes' && bytes > 0) return Buffer.alloc(bytes, at).toString('base64');
    return awkwardValue(name, kind, at);
  });
}

export interface AwkwardSize {
  readonly rows: number;
  /** Every value of bytes has this many of them; 0 stands for a few different lengths. */
  readonly bytes?: number;
}

export async function* awkwardContents(
  shapes: readonly TableShape[],
  sizeOf: (table: string) => AwkwardSize,
): CopyStream {
  for (const shape of shapes) {
    const { rows: count, bytes = 0 } = sizeOf(shape.name);
    const rows = Array.from({ length: count }, (_, at) => rowOf(shape, at, bytes));
    yield* partsOf(shape, rows);
  }
}

function* partsOf(shape: TableShape, rows: readonly CopiedRow[]): Generator<CopyPart> {
  yield { table: shape };
  const digest = new TableDigest(shape);
  digest.add(rows);
  if (rows.length > 0) yield { rows };
  const isAssigned = ['events', 'gone', 'indexes', 'jobs', 'source_windows'].includes(shape.name);
  yield {
    totals: {
      table: shape.name,
      rows: rows.length,
      digest: digest.digest,
      sequence: isAssigned ? 1_000_000 : null,
    },
  };
}

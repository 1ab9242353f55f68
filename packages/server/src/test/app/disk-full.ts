/**
 * Simulates a database whose disk is full: inserts into `tables` fail, and so does every insert and update with more
 * than `room` bytes.
 */
import type { KyselyPlugin } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';

export interface FullDisk {
  readonly plugin: KyselyPlugin;
  readonly tables: Set<keyof Schema>;
  room: number;
}

export function diskFull(kind: DatabaseKind): FullDisk {
  const disk: FullDisk = {
    tables: new Set(),
    room: Number.POSITIVE_INFINITY,
    plugin: {
      transformQuery({ node }) {
        const table = node.kind === 'InsertQueryNode' && node.into?.table.identifier.name;
        const isWrite = node.kind === 'InsertQueryNode' || node.kind === 'UpdateQueryNode';
        if (
          (table && disk.tables.has(table as keyof Schema)) ||
          (isWrite && bytesIn(node) > disk.room)
        )
          throw full(kind);
        return node;
      },
      transformResult: async ({ result }) => result,
    },
  };
  return disk;
}

/** Returns the error that the driver of the database throws when the disk is full. */
const full = (kind: DatabaseKind) =>
  kind === 'sqlite'
    ? Object.assign(new Error('database or disk is full'), {
        code: 'ERR_SQLITE_ERROR',
        errcode: 13,
      })
    : Object.assign(new Error('could not extend file: No space left on device'), {
        severity: 'ERROR',
        code: '53100',
      });

/** Returns the number of bytes of all texts and values in a query. */
function bytesIn(node: unknown): number {
  if (typeof node === 'string') return Buffer.byteLength(node);
  if (ArrayBuffer.isView(node)) return node.byteLength;
  if (typeof node !== 'object' || node === null) return 0;
  return Object.values(node).reduce((sum: number, value) => sum + bytesIn(value), 0);
}

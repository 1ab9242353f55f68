/**
 * The form of a backup (docs/decisions/0045-backups.md): lines of JSON, compressed by zstd. The first line is the header. Each
 * table is a line with its shape, a line with a list for each row, and a line with its totals. The last line has the totals of
 * the backup. After the compressed text comes its SHA-256 (seal.ts).
 */
import { z } from 'zod';
import { COLUMN_KINDS } from '../db/catalog.ts';

export const FORMAT = 'quarry-backup';
export const FORMAT_VERSION = 1;

/** This much of a header is the same in all versions of the format. */
export const AnyHeader = z.object({ format: z.literal(FORMAT), formatVersion: z.int() });

export const BackupHeader = z.strictObject({
  format: z.literal(FORMAT),
  formatVersion: z.literal(FORMAT_VERSION),
  /** This version of Quarry has made the backup. */
  quarry: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  createdAt: z.iso.datetime(),
  /** These migrations had run, in this order. */
  migrations: z.array(z.string()).min(1).readonly(),
  /** The stored credentials are sealed with the key of this secret. It is there only on demand. */
  encryptionKey: z.string().optional(),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

const Name = z.string().regex(/^[a-z][a-z0-9_]*$/);

export const TableLine = z.strictObject({
  table: Name,
  key: z.array(Name).min(1),
  columns: z.record(Name, z.enum(COLUMN_KINDS)),
});

export const TotalsLine = z.strictObject({
  rows: z.int(),
  digest: z.string(),
  sequence: z.int().nullable(),
});

export const EndLine = z.strictObject({
  tables: z.int(),
  rows: z.int(),
  /** This is the digest of all tables, by which two databases can be compared. */
  digest: z.string(),
});
export type BackupEnd = z.infer<typeof EndLine>;

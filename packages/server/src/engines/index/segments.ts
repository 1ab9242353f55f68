/**
 * Stored copies of the memory of large collections, beside the database in files of their own, so that a start need not make
 * the lists of words from the rows again.
 *
 * A segment is never the truth. It is what the memory was at one commit; its name is then written into the row of the index
 * (`indexes.segment`). So a database that names a segment comes from that commit, also when it was restored from a backup.
 * What changes chunks under their number names no segment any more (`unnameSegment` in rows.ts). Hence a copy that was read from it is brought up to date by the same
 * steps as any other copy: chunks that the rows no longer have are removed, and later chunks are added. A file that no row
 * names is removed, which is how the files of deleted collections go.
 */
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db, Tx } from '../../db/schema.ts';
import { newId } from '../../util.ts';
import { unnameSegment } from './index-rows.ts';
import { endNumber, firstNumber } from './numbers.ts';
import { type Resident, removeChunks } from './residents.ts';
import { GONE_KEPT_MS } from './rows.ts';
import {
  type PostingFacts,
  readSegment,
  type SegmentColumns,
  writeSegment,
} from './segment-file.ts';
import type { SlotFacts } from './slots.ts';

/** This is a part of the row of an index. */
export interface SegmentRow {
  readonly collection_id: string;
  readonly number: number;
  readonly version: number;
  readonly chunks: number;
  readonly segment: string | null;
}

export interface SegmentSource {
  readonly row: SegmentRow;
  readonly copy: Resident;
  /** The function returns false when the copy must no longer be stored. */
  readonly isWanted: () => boolean;
}

/** Describes a segment. Its checksum says that this code has written it. */
interface SegmentFacts {
  readonly index: number;
  readonly dimensions: number;
  readonly holdsWords: boolean;
  readonly version: number;
  readonly lastNumber: number;
  readonly lastGone: number;
  readonly readAt: number;
  readonly slots: SlotFacts;
  readonly postings: PostingFacts;
}

const ENDING = '.segment';
const FREE_BYTES = 2 ** 29;
/** A statement reads this many numbers of chunks. */
const PAGE = 20_000;

export type Segments = ReturnType<typeof createSegments>;

/** `freeBytes` of the disk of the folder stay free. */
export function createSegments(folder: string, freeBytes = FREE_BYTES) {
  const pathOf = (name: string) => join(folder, `${name}${ENDING}`);
  /** The versions of the segments that were read or written, by name; -1 stands for one that cannot be used. */
  const versions = new Map<string, number>();

  return {
    /**
     * Fills the new copy with what is stored of it, without the chunks that are gone since; later chunks are still missing.
     * Returns false when nothing was stored, or when it cannot be used; then the copy must not be used either.
     */
    async read(tx: Tx, row: SegmentRow, copy: Resident): Promise<boolean> {
      if (row.segment === null) return false;
      let read: SegmentFacts | undefined;
      const isRead = await readSegment(pathOf(row.segment), (facts) => {
        read = facts as SegmentFacts;
        return isOf(read, row, copy) ? roomFor(read, copy) : undefined;
      }).catch((error: NodeJS.ErrnoException) => {
        // A file that the system cannot read is made again, like one that is not there.
        if (error.code === undefined) throw error;
        return false;
      });
      versions.set(row.segment, isRead && read ? read.version : -1);
      if (!isRead || !read) return false;
      copy.lastNumber = read.lastNumber;
      const age = Date.now() - read.readAt;
      if (read.version === row.version || (age >= 0 && age < GONE_KEPT_MS / 2))
        copy.lastGone = read.lastGone;
      else return removeMissing(tx, copy);
      return true;
    },

    /**
     * Stores the copy, and names the file in the row. Returns false when the copy has changed meanwhile, is no longer wanted,
     * or the collection was deleted; nothing is stored then. Throws an Error when the disk is nearly full.
     */
    async write(db: Db, { row, copy, isWanted }: SegmentSource): Promise<boolean> {
      const { index, dimensions, holdsWords, version, lastNumber, lastGone = 0, readAt } = copy;
      const { postings } = copy;
      const slots = copy.slots.facts;
      const facts = { index, dimensions, holdsWords, version, lastNumber, lastGone, readAt };
      const all = { ...facts, slots, postings: postings.facts } satisfies SegmentFacts;
      const name = newId();
      const isSame = () => {
        const { size, dead } = copy.slots.facts;
        return (
          isWanted() && size === slots.size && dead === slots.dead && copy.postings === postings
        );
      };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await requireRoom(folder, columnsOf(copy), freeBytes);
      let isNamed = false;
      try {
        const isWritten = await writeSegment(pathOf(name), all, () =>
          isSame() ? columnsOf(copy) : undefined,
        );
        if (isWritten) {
          const named = await db
            .updateTable('indexes')
            .set({ segment: name })
            .where('collection_id', '=', row.collection_id)
            .where('number', '=', row.number)
            .executeTakeFirst();
          isNamed = named.numUpdatedRows > 0n;
          // A copy may have been found wrong while its name was written.
          if (isNamed && !isWanted()) {
            await unnameSegment(db, row.collection_id);
            isNamed = false;
          }
        }
      } finally {
        // On a full disk, what was written would be in the way of everything else.
        if (!isNamed) await rm(pathOf(name), { force: true });
      }
      if (isNamed) versions.set(name, version);
      return isNamed;
    },

    versionOf: (name: string): number | undefined => versions.get(name),

    /** Removes the files that no row names. No segment may be written meanwhile. Throws an AggregateError. */
    async sweep(db: Db): Promise<void> {
      const files = (await namesIn(folder)).filter((file) => file.endsWith(ENDING));
      if (files.length === 0) return;
      const rows = await db
        .selectFrom('indexes')
        .select('segment')
        .where('segment', 'is not', null)
        .execute();
      const named = new Set(rows.map(({ segment }) => `${segment}${ENDING}`));
      for (const name of versions.keys()) if (!named.has(`${name}${ENDING}`)) versions.delete(name);
      const failures: unknown[] = [];
      for (const file of files)
        if (!named.has(file))
          await rm(join(folder, file), { recursive: true, force: true }).catch((error) =>
            failures.push(error),
          );
      if (failures.length > 0) throw new AggregateError(failures, 'files could not be removed');
    },
  };
}

/** The database must find room on the same disk, so a segment is not what fills it. */
async function requireRoom(
  folder: string,
  columns: SegmentColumns,
  freeBytes: number,
): Promise<void> {
  const bytes = Object.values(columns).reduce((sum, column) => sum + column.length, 0);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + freeBytes)
    throw new Error(
      `a disk with ${megabytes(free)} MB free has no room for a copy of ${megabytes(bytes)} MB beside the database`,
    );
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/** The folder is made for the first segment. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns whether the segment is a copy of this collection that is worth to be read. */
const isOf = (facts: SegmentFacts, row: SegmentRow, copy: Resident): boolean =>
  facts.index === row.number &&
  facts.dimensions === copy.dimensions &&
  facts.holdsWords === copy.holdsWords &&
  facts.version <= row.version &&
  // A copy has room for as many chunks as the budget counts; one that has lost most of its chunks is read from the rows.
  facts.slots.size <= 2 * Math.max(0, row.chunks);

const columnsOf = ({ slots, postings }: Resident): SegmentColumns => ({
  ...slots.columns(),
  ...postings.columns(),
});

const roomFor = (facts: SegmentFacts, { slots, postings }: Resident): SegmentColumns => ({
  ...slots.restore(facts.slots),
  ...postings.restore(facts.postings),
});

/**
 * Removes the chunks that the rows no longer have: rows of `gone` are kept for an hour only. Returns false when the copy lacks
 * a chunk that it should have.
 */
async function removeMissing(tx: Tx, copy: Resident): Promise<boolean> {
  const missing: number[] = [];
  let slot = 0;
  for (let last = firstNumber(copy.index) - 1, read = PAGE; read === PAGE; ) {
    const rows = await tx
      .selectFrom('chunks')
      .select('n')
      .where('n', '>', last)
      .where('n', '<', Math.min(endNumber(copy.index), copy.lastNumber + 1))
      .orderBy('n')
      .limit(PAGE)
      .execute();
    for (const { n } of rows) {
      for (; slot < copy.slots.size && copy.slots.number(slot) < n; slot++)
        missing.push(copy.slots.number(slot));
      if (slot === copy.slots.size || copy.slots.number(slot++) !== n) return false;
      last = n;
    }
    read = rows.length;
  }
  for (; slot < copy.slots.size; slot++) missing.push(copy.slots.number(slot));
  removeChunks(copy, missing);
  return true;
}

/** These are the sizes of what a job reads, prepares and commits at once, and its pauses. */

/**
 * A pull reads and compares at most this much at once, so that its memory is bounded whatever the source sends. What was
 * read in this time is stored before the rest of the batch, because recordings and scans take minutes, and a process that
 * dies would repeat them.
 */
export const BATCH = { records: 200, characters: 2_000_000, milliseconds: 10_000 };

/**
 * A commit has about this many chunks. It takes some tens of milliseconds, in which no other writer of an embedded
 * database gets its turn.
 */
export const CHUNKS_PER_COMMIT = 200;

/**
 * A commit of the doctor makes about this many chunks again: half of CHUNKS_PER_COMMIT, because the commit also deletes
 * the old chunks.
 */
export const RENEWED_PER_COMMIT = 100;

/** A transformer gets at most this many records in one call, because all of them are in memory twice. */
export const TRANSFORMED_AT_ONCE = 100;

/** A job has stored records of about this many compressed bytes in memory at once. */
export const STORED_BYTES = 256 * 1024;

/** A sweep deletes at most this many entities in a commit, because an entity may have many chunks. */
export const SWEPT_PER_COMMIT = 50;

/** A list of group members is written in commits of this many rows. */
export const MEMBERS_PER_COMMIT = 500;

/** A writer pauses for this long between two commits of a bulk load, so that other writers get their turn. */
export const PAUSE_MS = 3;

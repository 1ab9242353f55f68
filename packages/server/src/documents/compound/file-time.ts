/** Reads the times of Windows (FILETIME, MS-DTYP, section 2.3.3), which count from 1601 in units of 100 nanoseconds. */

const MS_FROM_1601_TO_1970 = 11_644_473_600_000;
const PER_MS = 10_000n;

/** Returns null for a time before 1970, which programs write when they do not know it, and for one that no date has. */
export function dateOfFileTime(time: bigint): Date | null {
  const date = new Date(Number(time / PER_MS) - MS_FROM_1601_TO_1970);
  return date.getTime() > 0 ? date : null;
}

/** Reads the header Range of a download that goes on where an earlier one ended (RFC 9110, 14). */
import { AppError } from '../errors.ts';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns null when the whole file is to be sent, which is always allowed: without a header, and for one with several ranges
 * or of another form. Throws a 416 when the range has no byte of the file.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (last !== '' && first !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  if (start >= size)
    throw new AppError(
      416,
      `the file has ${size} bytes, and none of them is in the range: leave out the header Range`,
      { code: 'range_not_satisfiable' },
    );
  const isEndGiven = first !== '' && last !== '';
  return { start, end: isEndGiven ? Math.min(Number(last), size - 1) : size - 1 };
}

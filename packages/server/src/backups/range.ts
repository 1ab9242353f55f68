/** Reads the header Range of a download that goes on where an earlier one ended (RFC 9110, 14). */
import { AppError } from '../errors.ts';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns null when the whole file is to be sent, which is always allowed: without a header, and for one with several ranges
 * or of another form. Throws a 416 when the file ends before the range begins.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size - 1 };
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= size)
    throw new AppError(
      416,
      `the file has ${size} bytes, and the range begins behind them: leave out the header Range`,
      { code: 'range_not_satisfiable' },
    );
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

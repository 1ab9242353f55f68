/**
 * Shows the number of a cell in the way that its format asks for (ECMA-376 part 1, 18.8.30), as far as that changes
 * the meaning: dates, times and percentages. Dates are written as in ISO 8601, whatever the order in the format is.
 */

/** These formats are not stored in the file. The others of this range are numbers. */
const BUILT_IN: Readonly<Record<number, string>> = {
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
};
/** These are dates in the languages of East Asia. */
const isEastAsianDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

const LONGEST_FORMAT = 255;
const MOST_DECIMALS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The last day that Excel knows is 9999-12-31. */
const LAST_DAY = 2_958_465;

export type ShownAs =
  | { readonly is: 'number' | 'date' | 'time' | 'datetime' | 'duration' }
  | { readonly is: 'percentage'; readonly decimals: number };

const NUMBER: ShownAs = { is: 'number' };

export function shownAs(id: number, code = BUILT_IN[id]): ShownAs {
  if (code === undefined) return isEastAsianDate(id) ? { is: 'date' } : NUMBER;
  const whole = code
    .slice(0, LONGEST_FORMAT)
    .replaceAll(/"[^"]*"?|[\\_*]./g, '')
    .toLowerCase();
  const [positive = ''] = whole.split(';', 1);
  if (/\[(?:h+|m+|s+)\]/.test(positive)) return { is: 'duration' };
  const bare = positive.replaceAll(/\[[^\]]*\]?/g, '').replaceAll(/general|am\/pm|a\/p/g, '');
  if (bare.includes('%')) {
    const decimals = /\.([0#?]+)/.exec(bare)?.[1]?.length ?? 0;
    return { is: 'percentage', decimals: Math.min(decimals, MOST_DECIMALS) };
  }
  const hasTime = /[hs]/.test(bare);
  const hasDay = /[yd]/.test(bare) || (!hasTime && bare.includes('m'));
  if (hasDay) return { is: hasTime ? 'datetime' : 'date' };
  return hasTime ? { is: 'time' } : NUMBER;
}

/** Returns the text of a number, which is written as in XML. Any other text is returned unchanged. */
export function showNumber(value: string, shown: ShownAs, is1904: boolean): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  switch (shown.is) {
    case 'percentage':
      return `${(number * 100).toFixed(shown.decimals)}%`;
    case 'date':
    case 'datetime':
    case 'time':
      return showTime(number, shown.is, is1904) ?? plainNumber(value);
    case 'duration':
      return duration(number) ?? plainNumber(value);
    default:
      return plainNumber(value);
  }
}

/** Returns a time of ISO 8601 as the other dates are shown, without a time of day at midnight. */
export const showIsoTime = (value: string): string =>
  value
    .replace(/\.\d+/, '')
    .replace(/Z$/, '')
    .replace(/(T\d{2}:\d{2}):00$/, '$1')
    .replace(/T00:00$/, '')
    .replace('T', ' ');

/** Excel shows 15 digits; the file may have more of them, as in 0.30000000000000004. */
const plainNumber = (value: string): string =>
  /[.eE]/.test(value) ? String(Number(Number(value).toPrecision(15))) : value;

function showTime(serial: number, shown: 'date' | 'datetime' | 'time', is1904: boolean) {
  if (serial < 0 || serial > LAST_DAY) return undefined;
  // Excel takes 1900 for a leap year, so its days before March 1900 are one off.
  const before = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 61 ? 31 : 30);
  const seconds = Math.round((serial * DAY_MS) / 1000);
  const [day = '', clock = ''] = new Date(before + seconds * 1000).toISOString().split(/[T.]/);
  const time = clock.endsWith(':00') ? clock.slice(0, -3) : clock;
  if (shown === 'time' || (serial < 1 && shown === 'datetime')) return time;
  return shown === 'date' || time === '00:00' ? day : `${day} ${time}`;
}

function duration(days: number): string | undefined {
  if (days < 0 || days > LAST_DAY) return undefined;
  const seconds = Math.round((days * DAY_MS) / 1000);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

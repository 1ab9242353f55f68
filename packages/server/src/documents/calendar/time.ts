/** Reads times of iCalendar, and writes them for people and for filters. */
import { SourceError } from '../../errors.ts';
import type { IcsProperty } from './lines.ts';

const FORM = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/;

export interface CalendarTime {
  /** This is the time at the place, as milliseconds since 1970 as if the place were in UTC. */
  readonly local: number;
  readonly isDay: boolean;
  /** This is the name of the zone, `UTC`, or null for a time that is the same in every place. */
  readonly zone: string | null;
}

/** Returns null for a value that is not a time. */
export function timeOf(property: IcsProperty | undefined): CalendarTime | null {
  const found = FORM.exec(property?.value.trim() ?? '');
  if (!property || !found) return null;
  const [year, month, day, hour, minute, second] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const local =
    new Date(0).setUTCFullYear(year ?? 0, (month ?? 1) - 1, day ?? 1) +
    (((hour ?? 0) * 60 + (minute ?? 0)) * 60 + (second ?? 0)) * 1000;
  const isReal = new Date(local).getUTCMonth() + 1 === month && (hour ?? 0) < 24;
  if (!isReal) return null;
  const isDay = found[4] === undefined;
  const zone =
    found[7] === 'Z' ? 'UTC' : (property.parameters.get('TZID')?.replace(/^\//, '') ?? null);
  return { local, isDay, zone: isDay ? null : zone };
}

/** Writes the instant in ISO 8601, or the time at the place when its zone is not known. */
export function isoOf({ local, isDay, zone }: CalendarTime): string {
  const iso = new Date(local).toISOString();
  if (isDay) return iso.slice(0, 10);
  const instant = zone === null ? null : instantOf(local, zone);
  return instant === null ? iso.slice(0, 19) : new Date(instant).toISOString();
}

/** Returns the instant of a time, or undefined when its zone is not known. */
export const dateOf = (time: CalendarTime | null): Date | undefined => {
  const instant =
    time && !time.isDay && time.zone !== null ? instantOf(time.local, time.zone) : null;
  return instant === null ? undefined : new Date(instant);
};

function instantOf(local: number, zone: string): number | null {
  if (zone === 'UTC') return local;
  const format = formatOf(zone);
  if (!format) return null;
  // The offset at the guessed instant is wrong only near a change of the clock, so the second guess is right.
  const guess = local - (localAt(format, local) - local);
  return guess - (localAt(format, guess) - local);
}

const formats = new Map<string, Intl.DateTimeFormat | null>();
const MAX_FORMATS = 100;

/** A calendar may name a zone of its own, which only it describes. */
function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat('en', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
  } catch (error) {
    if (!(error instanceof RangeError))
      throw new SourceError('fatal', 'a zone cannot be read', { cause: error });
  }
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}

function localAt(format: Intl.DateTimeFormat, instant: number): number {
  const parts = Object.fromEntries(
    format.formatToParts(instant).map(({ type, value }) => [type, value]),
  );
  const number = (name: string) => Number(parts[name]);
  const year = parts.era === 'BC' ? 1 - number('year') : number('year');
  const day = new Date(0).setUTCFullYear(year, number('month') - 1, number('day'));
  return day + ((number('hour') * 60 + number('minute')) * 60 + number('second')) * 1000;
}

const DURATION =
  /^\+?P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/;
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * Returns the time after a duration (RFC 5545, section 3.3.6), or null. Days are those of the calendar, and hours have 60
 * minutes also when the clock changes.
 */
export function timeAfter(start: CalendarTime, duration: string): CalendarTime | null {
  const found = DURATION.exec(duration.trim());
  if (!found) return null;
  const [weeks = 0, days = 0, ...rest] = found.slice(1).map((part) => Number(part ?? 0));
  const [hours = 0, minutes = 0, seconds = 0] = rest;
  const day = start.local + (7 * weeks + days) * DAY_MS;
  const local = localAfter(day, ((hours * 60 + minutes) * 60 + seconds) * 1000, start.zone);
  return local > LAST ? null : { ...start, local };
}

function localAfter(local: number, ms: number, zone: string | null): number {
  const format = zone === null || ms === 0 ? null : formatOf(zone);
  const instant = zone === null || !format ? null : instantOf(local, zone);
  return format && instant !== null ? localAt(format, instant + ms) : local + ms;
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  year: 'numeric',
  month: 'long',
  day: 'numeric',
});

/** The marks between the parts depend on the version of ICU, so only the parts are taken. */
function dayOf(local: number): string {
  const parts = Object.fromEntries(
    DAY.formatToParts(local).map(({ type, value }) => [type, value]),
  );
  return `${parts.weekday} ${parts.day} ${parts.month} ${parts.year}`;
}
const clockOf = (local: number): string => new Date(local).toISOString().slice(11, 16);
const zoned = ({ zone }: CalendarTime): string => (zone === null ? '' : ` (${zone})`);

/** Writes a time as people do: `Monday 3 March 2025, 09:00 (Europe/Berlin)`. */
export const timeInWords = (time: CalendarTime): string =>
  time.isDay ? dayOf(time.local) : `${dayOf(time.local)}, ${clockOf(time.local)}${zoned(time)}`;

const DAY_MS = 86_400_000;

/** In different zones, the clocks say nothing about the order of two times. */
function isAfter(end: CalendarTime, start: CalendarTime): boolean {
  if (end.zone === start.zone) return end.local > start.local;
  const [first, second] = [dateOf(start), dateOf(end)];
  return !first || !second || second > first;
}

/** Writes a time with its end. The end of a day is the day after it (RFC 5545, section 3.6.1). */
export function spanInWords(start: CalendarTime, end: CalendarTime | null): string {
  if (!end || !isAfter(end, start)) return timeInWords(start);
  if (start.isDay) {
    const last = end.local - DAY_MS;
    return last <= start.local ? dayOf(start.local) : `${dayOf(start.local)} to ${dayOf(last)}`;
  }
  const isSameDay = dayOf(start.local) === dayOf(end.local) && start.zone === end.zone;
  return isSameDay
    ? `${dayOf(start.local)}, ${clockOf(start.local)}–${clockOf(end.local)}${zoned(start)}`
    : `${timeInWords(start)} to ${timeInWords(end)}`;
}

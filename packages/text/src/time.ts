/** Writes times and durations as people say them. All functions take milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "12 s ago", "4 min ago", "3 h ago", "yesterday, 14:02", "8 Nov, 14:02". */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < 5 * SECOND) return 'just now';
  if (past < MINUTE) return `${Math.floor(past / SECOND)} s ago`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < 12 * HOUR) return `${Math.floor(past / HOUR)} h ago`;
  return moment(at, now);
}

/** "today, 14:02", "tomorrow, 14:02", "8 Nov, 14:02", "8 Nov 2024, 14:02": a time that may lie ahead. */
export function moment(at: number, now: number): string {
  return `${dayOf(at, now)}, ${clock(at)}`;
}

/** "14:02" */
export const clock = (at: number): string =>
  new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

function dayOf(at: number, now: number): string {
  const days = Math.round((midnight(at) - midnight(now)) / DAY);
  if (days === 0) return 'today';
  if (days === -1) return 'yesterday';
  if (days === 1) return 'tomorrow';
  const isSameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(!isSameYear && { year: 'numeric' }),
  });
}

const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** "24 ms", "0.4 s", "12 s", "2 min 14 s", "3 h 5 min", "2 d 4 h". */
export function duration(ms: number): string {
  if (ms < SECOND / 10) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return pair(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY) return pair(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return pair(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [length: number, name: string];

function pair(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  return `${whole} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

/** The exact time in the person's own zone and in UTC. */
export const exact = (at: number): string =>
  `${new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })} (${new Date(at).toISOString()})`;

/** A time changes its words after this number of milliseconds. */
export const nextChange = (at: number, now: number): number =>
  Math.abs(now - at) < MINUTE ? SECOND : MINUTE / 2;

/** Writes a time as an input of the type datetime-local has it: in the person's own zone, to the minute. */
export function localInput(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * MINUTE;
  return new Date(at - offset).toISOString().slice(0, 16);
}

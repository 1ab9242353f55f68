/**
 * When a connection syncs by itself: cron in five fields, read in UTC.
 *
 * A connection is continuous without being asked when its source tells changes by itself. Without a cron
 * it syncs daily at the minute of creation, and every five minutes when it is continuous. More often than
 * hourly is for continuous connections and for sources on this machine.
 */
import { Cron } from 'croner';
import type { Selectable } from 'kysely';
import type { ConnectionTable } from '../db/schema.ts';
import { invalid } from '../errors.ts';
import { type Source, wayOf } from '../sources/define.ts';
import type { ScheduleInput } from './schema.ts';

export interface Schedule {
  readonly cron: string | null;
  readonly continuous: boolean;
  readonly cursorField: string | null;
}

export const scheduleOf = (
  row: Pick<Selectable<ConnectionTable>, 'cron' | 'continuous' | 'cursor_field'>,
): Schedule => ({ cron: row.cron, continuous: row.continuous, cursorField: row.cursor_field });

const HOUR_MS = 3_600_000;
/** Hours within which a continuous connection is pulled in full whose changes name no deletions. */
const FULL_EVERY = 24;
/** Enough to meet two runs of one hour, whatever the expression. */
const LOOK_AHEAD = 60;

/** Throws a 422 for what the source or the clock cannot do. `current` keeps what is not named. */
export function planSchedule(
  source: Source,
  input: ScheduleInput | undefined,
  now: Date,
  current: Schedule | undefined,
): Schedule {
  const way = wayOf(source);
  if (way !== 'pull') {
    const why = way === 'push' ? 'pushed into' : 'searched live';
    if (input) throw refuse(`${source.shortName} is ${why} and takes no schedule`);
    return { cron: null, continuous: false, cursorField: null };
  }
  const continuous = input?.continuous ?? current?.continuous ?? tellsChanges(source);
  const cursorField =
    input?.cursor_field === undefined ? (current?.cursorField ?? null) : input.cursor_field;
  if (!source.cursor && (continuous || cursorField !== null))
    throw refuse(
      `${source.shortName} cannot sync continuously: leave continuous and cursor_field out`,
    );
  const kept = current ? current.cron : defaultCron(continuous, now);
  const cron = input?.cron === undefined ? kept : input.cron;
  const isNew = input?.cron !== undefined || continuous !== current?.continuous;
  if (cron !== null && isNew) checkCron(cron, continuous || source.isLocal === true);
  return { cron, continuous, cursorField };
}

/** True when nobody has to choose how its changes are known. */
const tellsChanges = ({ cursor, needsCursorField }: Source): boolean =>
  cursor !== undefined && needsCursorField !== true;

/**
 * Within how many hours a continuous connection is also pulled in full; null for never. `current` is
 * what stands, undefined for a new connection. Throws a 422 for a source that is pulled in full anyway,
 * or not at all.
 */
export function planFullEvery(
  source: Source,
  input: number | null | undefined,
  current: number | null | undefined,
): number | null {
  if (input !== undefined && input !== null && !source.cursor)
    throw invalid(
      `full_every is for sources with supports_continuous, and ${source.shortName} is none: leave it out`,
      { loc: ['body', 'full_every'] },
    );
  if (input !== undefined) return input;
  if (current !== undefined) return current;
  return source.cursor && source.tellsDeletions !== true ? FULL_EVERY : null;
}

/**
 * Whether the sync that starts now has to be a full one, so that none of them is more than `every` hours
 * after the one before it. `next` is when the schedule fires after this one.
 */
export function isFullDue(
  every: number | null,
  full: { readonly completed: number | null; readonly begun: number | null },
  { now, next }: { readonly now: number; readonly next: number | null },
): boolean {
  if (every === null) return false;
  // One that failed is tried again, and the changes in between are not kept waiting for it.
  if (full.begun !== null && full.begun > now - HOUR_MS) return false;
  return (full.completed ?? 0) + every * HOUR_MS < (next ?? Number.POSITIVE_INFINITY);
}

/** Milliseconds since 1970 at which the schedule fires next after `now`; null when it never does. */
export function nextRun(cron: string | null, now: Date): number | null {
  if (cron === null) return null;
  return new Cron(cron, { timezone: 'UTC', mode: '5-part' }).nextRun(now)?.getTime() ?? null;
}

function defaultCron(continuous: boolean, now: Date): string {
  if (continuous) return '*/5 * * * *';
  return `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`;
}

function checkCron(cron: string, mayBeOften: boolean): void {
  // The library also takes names such as @daily.
  if (!/^\S+(?: \S+){4}$/.test(cron)) throw notCron(cron);
  let runs: Date[];
  try {
    runs = new Cron(cron, { timezone: 'UTC', mode: '5-part' }).nextRuns(LOOK_AHEAD);
  } catch {
    // croner's own message names its fields, not ours.
    throw notCron(cron);
  }
  if (runs.length === 0) throw refuse(`'${cron}' never comes: no such day exists`);
  const tooOften = runs.some((run, i) => {
    const before = runs[i - 1];
    return before !== undefined && run.getTime() - before.getTime() < HOUR_MS;
  });
  if (tooOften && !mayBeOften)
    throw refuse(
      `'${cron}' is more often than hourly, which is for continuous connections and for sources on this machine: give a cron that fires at most once an hour`,
    );
}

const notCron = (cron: string) =>
  refuse(`'${cron}' is no cron expression of five fields, such as '0 3 * * *'`);

const refuse = (message: string) => invalid(message, { loc: ['body', 'schedule'] });

/**
 * This file decides when a connection syncs by itself: its cron has five fields and is read in UTC.
 *
 * When the caller does not decide, a connection is continuous if its source reports changes by itself. Without a cron
 * it syncs daily at the time of day of its creation, or every five minutes when it is continuous. Only continuous
 * connections and sources on this machine may sync more often than hourly.
 */
import { Cron } from 'croner';
import type { Selectable } from 'kysely';
import type { ConnectionTable } from '../db/schema.ts';
import { invalid } from '../errors.ts';
import { type Source, syncMode } from '../sources/define.ts';
import type { Syncs } from '../syncs/service.ts';
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
/** A continuous connection whose source does not report deletions is pulled in full within this many hours. */
const FULL_EVERY = 24;
/** This many runs are enough to find two within one hour, whatever the expression is. */
const LOOK_AHEAD = 60;

/**
 * Returns the schedule of a connection. `current` gives the values that the input leaves out. Throws a 422 for a
 * schedule that the source does not support, and for a cron that is wrong, never fires or fires too often.
 */
export function planSchedule(
  source: Source,
  input: ScheduleInput | undefined,
  { now, current }: { readonly now: Date; readonly current?: Schedule },
): Schedule {
  const mode = syncMode(source);
  if (mode !== 'pull') {
    const why = mode === 'push' ? 'pushed into' : 'searched live';
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

/** Returns true when the source reports its changes without a field that the user has to choose. */
const tellsChanges = ({ cursor, needsCursorField }: Source): boolean =>
  cursor !== undefined && needsCursorField !== true;

/**
 * Returns the number of hours within which a continuous connection is also pulled in full; null stands for never.
 * `current` is the value that the connection has, and undefined for a new connection. Throws a 422 for a source
 * that is pulled in full anyway, or not at all.
 */
export function planFullEvery(
  source: Source,
  input: number | null | undefined,
  current: number | null | undefined,
): number | null {
  if (input !== undefined && input !== null && !source.cursor)
    throw invalid(
      `full_every is for sources with supports_continuous, and ${source.shortName} is not one of them: leave it out`,
      { loc: ['body', 'full_every'] },
    );
  if (input !== undefined) return input;
  if (current !== undefined) return current;
  return source.cursor && source.tellsDeletions !== true ? FULL_EVERY : null;
}

/**
 * Returns true when the sync that starts now has to be a full one, so that no full sync is more than `every` hours
 * after the one before it. `next` is when the schedule fires after this time.
 */
export function isFullDue(
  every: number | null,
  { completedStartedAt, incompleteEndedAt }: Awaited<ReturnType<Syncs['lastFull']>>,
  { now, next }: { readonly now: number; readonly next: number | null },
): boolean {
  if (every === null) return false;
  // After a full sync that failed, the next one comes an hour after its end at the earliest. Otherwise the changes
  // would wait again and again for full syncs that take hours and fail.
  if (incompleteEndedAt !== null && incompleteEndedAt > now - HOUR_MS) return false;
  return (completedStartedAt ?? 0) + every * HOUR_MS < (next ?? Number.POSITIVE_INFINITY);
}

/** Returns the milliseconds since 1970 at which the schedule fires next after `now`, or null when it never does. */
export function nextRun(cron: string | null, now: Date): number | null {
  if (cron === null) return null;
  return new Cron(cron, { timezone: 'UTC', mode: '5-part' }).nextRun(now)?.getTime() ?? null;
}

function defaultCron(continuous: boolean, now: Date): string {
  if (continuous) return '*/5 * * * *';
  return `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`;
}

function checkCron(cron: string, mayBeOften: boolean): void {
  // The library would also take names such as @daily.
  if (!/^\S+(?: \S+){4}$/.test(cron)) throw notCron(cron);
  let runs: Date[];
  try {
    runs = new Cron(cron, { timezone: 'UTC', mode: '5-part' }).nextRuns(LOOK_AHEAD);
  } catch {
    // The error of croner is replaced because its message names the fields of croner, not ours.
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
  refuse(`'${cron}' is not a cron expression of five fields, such as '0 3 * * *'`);

const refuse = (message: string) => invalid(message, { loc: ['body', 'schedule'] });

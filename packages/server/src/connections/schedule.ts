/**
 * This file decides when a connection syncs by itself. The schedule is a cron expression with five fields, in UTC.
 *
 * Defaults: a connection is continuous if its source reports changes by itself. A continuous connection syncs every
 * five minutes, any other one daily at the time of day of its creation. Only continuous connections and sources on this
 * machine may sync more often than hourly.
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
/** This is the default of `full_every` for sources that report changes but not deletions. */
const DEFAULT_FULL_EVERY_HOURS = 24;
/**
 * This is the default for sources that also report deletions. Their changes name a record once, so only a full sync tries
 * a record again that failed, and reads the others with a new `sync_config` or a better converter.
 */
const DEFAULT_FULL_EVERY_HOURS_IF_TOLD = 7 * 24;
/**
 * A cron fires at the same minutes of every hour in which it fires at all. When it fires at two or more minutes, at least
 * two of any three consecutive runs are in the same hour. So three runs show whether it fires more often than hourly.
 */
const RUNS_TO_CHECK = 3;

/**
 * Returns the schedule of a connection. Values that the input leaves out come from `current`, the schedule of the
 * existing connection; a new connection gets the defaults. Throws a 422 for a schedule that the source does not support,
 * and for a cron that is wrong, never fires or fires too often.
 */
export function planSchedule(
  source: Source,
  input: ScheduleInput | undefined,
  { now, current }: { readonly now: Date; readonly current?: Schedule },
): Schedule {
  const mode = syncMode(source);
  if (mode !== 'pull') {
    const why =
      mode === 'push'
        ? `records are pushed into a ${source.shortName} connection`
        : `each search asks ${source.shortName} itself`;
    if (input)
      throw invalidSchedule(`${why}, so this connection takes no schedule: leave schedule out`);
    return { cron: null, continuous: false, cursorField: null };
  }
  const continuous = input?.continuous ?? current?.continuous ?? reportsChanges(source);
  const cursorField =
    input?.cursor_field === undefined ? (current?.cursorField ?? null) : input.cursor_field;
  if (!source.cursor && (continuous || cursorField !== null))
    throw invalidSchedule(
      `${source.shortName} cannot sync continuously: leave continuous and cursor_field out`,
    );
  const cronIfOmitted = current ? current.cron : defaultCron(continuous, now);
  const cron = input?.cron === undefined ? cronIfOmitted : input.cron;
  const mustCheck = input?.cron !== undefined || continuous !== current?.continuous;
  if (cron !== null && mustCheck) checkCron(cron, continuous || source.isLocal === true);
  return { cron, continuous, cursorField };
}

/** Returns true when the source reports its changes without a field that the user has to choose. */
const reportsChanges = ({ cursor, needsCursorField }: Source): boolean =>
  cursor !== undefined && needsCursorField !== true;

/**
 * Returns the longest time between two full syncs of a continuous connection, in hours; null means that no time limit
 * forces a full sync. `current` is the value of the existing connection, or undefined for a new connection. Throws a 422
 * when the input is a number and the source is always pulled in full or never pulled.
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
  if (!source.cursor) return null;
  return source.deletions === 'told' ? DEFAULT_FULL_EVERY_HOURS_IF_TOLD : DEFAULT_FULL_EVERY_HOURS;
}

/**
 * Decides whether the sync that starts now must be full. The sync after it starts at `next`, or never when `next` is null.
 * Returns true when `next` is null or more than `full_every` hours after the start of the last completed full sync, and when
 * no full sync has completed. Returns false, whatever else holds, when `full_every` is null, and within an hour after a full
 * sync that ended without completing. `now` and `next` are in milliseconds since 1970. Times of more than an hour
 * after `now` were written before the clock was set back, and count as none; the clocks of workers differ by less.
 */
export function isFullDue(
  { id, full_every }: Pick<Selectable<ConnectionTable>, 'id' | 'full_every'>,
  {
    completedStartedAt,
    incompleteEndedAt,
    newestCreatedAt,
  }: Awaited<ReturnType<Syncs['lastFull']>>,
  { now, next }: { readonly now: number; readonly next: number | null },
): boolean {
  if (full_every === null) return false;
  const every = full_every * HOUR_MS;
  const end = next ?? Number.POSITIVE_INFINITY;
  // After a full sync that failed or was cancelled, the schedule starts no full sync for an hour. Without this pause,
  // full syncs that fail would follow each other, and no incremental sync would ever run.
  const ended = possible(incompleteEndedAt, now);
  if (ended !== null && ended > now - HOUR_MS) return false;
  const last = possible(completedStartedAt, now) ?? 0;
  if (last + every >= end) return false;
  // The connection has synced without full syncs until now. An update may give them to all connections at once, so each
  // takes its first one at a time of its own, which passes before `every` is over.
  const newest = possible(newestCreatedAt, now);
  const isFirst = ended === null && newest !== null && last + 2 * every < newest;
  return !isFirst || ownTimes(id, every, newest) < ownTimes(id, every, end);
}

/** Counts the times of a connection until `end`. They are `every` apart, and where they begin depends on its id. */
const ownTimes = (id: string, every: number, end: number): number =>
  Math.floor(end / every - Number.parseInt(id.slice(-8), 16) / 2 ** 32);

const possible = (time: number | null, now: number): number | null =>
  time !== null && time <= now + HOUR_MS ? time : null;

/**
 * Returns the next time after `now` at which the schedule fires, in milliseconds since 1970, or null when it never
 * fires.
 */
export function nextRun(cron: string | null, now: Date): number | null {
  if (cron === null) return null;
  return new Cron(cron, { timezone: 'UTC', mode: '5-part' }).nextRun(now)?.getTime() ?? null;
}

function defaultCron(continuous: boolean, now: Date): string {
  if (continuous) return '*/5 * * * *';
  return `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`;
}

/** Throws a 422 for a cron that is wrong, never fires, or fires more often than `mayFireOften` allows. */
export function checkCron(cron: string, mayFireOften: boolean): void {
  // The library also accepts names such as @daily, which our API does not.
  if (!/^\S+(?: \S+){4}$/.test(cron)) throw notCron(cron);
  let runs: Date[];
  try {
    runs = new Cron(cron, { timezone: 'UTC', mode: '5-part' }).nextRuns(RUNS_TO_CHECK);
  } catch {
    // The error of croner is replaced: its message names the parser (CronPattern) and counts the fields from the
    // seconds, which our five fields do not have.
    throw notCron(cron);
  }
  if (runs.length === 0) throw invalidSchedule(`'${cron}' never fires: no such day exists`);
  const tooOften = runs.some((run, i) => {
    const previous = runs[i - 1];
    return previous !== undefined && run.getTime() - previous.getTime() < HOUR_MS;
  });
  if (tooOften && !mayFireOften)
    throw invalidSchedule(
      `'${cron}' fires more often than hourly, which only continuous connections and sources on this machine may do: give a cron that fires at most once an hour`,
    );
}

const notCron = (cron: string) =>
  invalidSchedule(`'${cron}' is not a cron expression of five fields, such as '0 3 * * *'`);

const invalidSchedule = (message: string) => invalid(message, { loc: ['body', 'schedule'] });

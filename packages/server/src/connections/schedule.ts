/**
 * When a connection syncs by itself: cron in five fields, read in UTC.
 *
 * Without a wish it is daily at the minute of creation, and every five minutes for a source that can go
 * on from where it stopped. More often than hourly is for those sources alone.
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
  const continuous = input?.continuous ?? current?.continuous ?? false;
  const cursorField =
    input?.cursor_field === undefined ? (current?.cursorField ?? null) : input.cursor_field;
  if (!source.cursor && (continuous || cursorField !== null))
    throw refuse(
      `${source.shortName} cannot sync continuously: leave continuous and cursor_field out`,
    );
  const kept = current ? current.cron : defaultCron(source, now);
  const cron = input?.cron === undefined ? kept : input.cron;
  if (cron !== null && input?.cron !== undefined) checkCron(cron, source);
  return { cron, continuous, cursorField };
}

/** Milliseconds since 1970 at which the schedule fires next after `now`; null when it never does. */
export function nextRun(cron: string | null, now: Date): number | null {
  if (cron === null) return null;
  return new Cron(cron, { timezone: 'UTC', mode: '5-part' }).nextRun(now)?.getTime() ?? null;
}

function defaultCron(source: Source, now: Date): string {
  if (source.cursor) return '*/5 * * * *';
  return `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`;
}

function checkCron(cron: string, source: Source): void {
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
  if (tooOften && !source.cursor)
    throw refuse(`'${cron}' is more often than hourly, which only continuous sources can do`);
}

const notCron = (cron: string) =>
  refuse(`'${cron}' is no cron expression of five fields, such as '0 3 * * *'`);

const refuse = (message: string) => invalid(message, { loc: ['body', 'schedule'] });

/** Reads cron expressions of five fields, in UTC, as the service does. */
import { Cron } from 'croner';
import { toString as describeCron } from 'cronstrue';
import { clock } from 'quarry-text/time';

export interface CronInWords {
  /** "At 03:17, Monday through Friday, UTC"; null when only the runs can be said. */
  readonly sentence: string | null;
  /** The next three runs, in milliseconds since 1970. There are fewer when it ends, and none when it never fires. */
  readonly runs: readonly number[];
}

const FIVE_FIELDS = /^\S+(?: \S+){4}$/;
const SHOWN = 3;
const HOUR_MS = 3_600_000;

/** Returns null for a text that is not such an expression. */
export function readCron(text: string, now: number): CronInWords | null {
  if (!FIVE_FIELDS.test(text)) return null;
  try {
    const cron = new Cron(text, { timezone: 'UTC', mode: '5-part' });
    const runs = cron.nextRuns(SHOWN, new Date(now)).map((run) => run.getTime());
    return { sentence: wordsOf(text), runs };
  } catch {
    // The library throws for everything that it cannot read.
    return null;
  }
}

function wordsOf(text: string): string | null {
  try {
    return `${describeCron(text, { use24HourTimeFormat: true })}, UTC`;
  } catch {
    // A few expressions that fire, such as those with L, have no words there.
    return null;
  }
}

const DAILY = /^\d+ \d+ \* \* \*$/;

/** "Once a day, at 21:54", in the time of the person; null for an expression that fires at other times. */
export function onceADay(text: string, now: number): string | null {
  const next = DAILY.test(text) ? readCron(text, now)?.runs[0] : undefined;
  return next === undefined ? null : `Once a day, at ${clock(next)}`;
}

/** Three runs show whether an expression fires more often than hourly: two of them are then in the same hour. */
export const firesOften = ({ runs }: Pick<CronInWords, 'runs'>): boolean =>
  runs.some((run, i) => {
    const before = runs[i - 1];
    return before !== undefined && run - before < HOUR_MS;
  });

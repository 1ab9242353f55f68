/**
 * Writes times for JQL. There a time has whole minutes, and is in the time zone of the account
 * (https://support.atlassian.com/jira-software-cloud/docs/jql-fields/).
 */
const DAY = 86_400_000;
/** No place on earth is further behind UTC. */
const FURTHEST_BEHIND = -12 * 3_600_000;

/** Returns a time that is never later than the instant, in milliseconds since 1970. */
export function jqlTime(at: number, timeZone: string): string {
  // Near a change of the clock, a time may be one of two instants. The smaller offset is right or too early.
  const offset = Math.min(offsetAt(at - DAY, timeZone), offsetAt(at + DAY, timeZone));
  return new Date(at + offset).toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns how far the clocks there are ahead of UTC, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  } catch {
    // The account does not tell its time zone, or it has a name that is not known here.
    return FURTHEST_BEHIND;
  }
}

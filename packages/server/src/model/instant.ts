/**
 * An instant is a text in ISO 8601: a date, or a date and a time, in UTC unless the text has another time zone. A space
 * instead of the T and an offset without a colon are accepted, because some sources write them.
 */
const MONTH_AND_DAY =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const LEAP_YEAR =
  '(?:[0-9][0-9][2468][048]|[0-9][0-9][13579][26]|[0-9][0-9]0[48]|[02468][048]00|[13579][26]00)';
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]+)?)?';
const ZONE = 'Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9]';

/** PostgreSQL uses this expression too. Year 0 is excluded, because PostgreSQL does not have it. */
export const INSTANT = `^(?!0000)(?:[0-9]{4}-${MONTH_AND_DAY}|${LEAP_YEAR}-02-29)(?:[T ]${TIME}(?:${ZONE})?)?$`;

const instant = new RegExp(INSTANT);

/** Returns milliseconds since 1970, or undefined for a text that is not an instant. */
export function instantOf(text: string): number | undefined {
  if (!instant.test(text)) return undefined;
  const [date = '', rest = ''] = [text.slice(0, 10), text.slice(11)];
  if (rest === '') return Date.parse(date);
  const [, time = '', zone = 'Z'] = /^([0-9:.]+)(.+)?$/.exec(rest) ?? [];
  return Date.parse(`${date}T${time}${zone.replace(/([0-9]{2})([0-9]{2})$/, '$1:$2')}`);
}

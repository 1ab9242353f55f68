/**
 * Recognizes restrictions written in a query without a language model: `source:github`, `from github`,
 * `type:orders`, and times of the last update such as `in 2024`, `since 2024-03-01`, `before March 2024`,
 * `last week`, `from the past 10 days`. It recognizes only the names of sources and types of which the asker may see
 * something. All other text stays in the query.
 */
import { must } from '../util.ts';
import type { Clause, StandardFilter } from './filter-schema.ts';

export interface Names {
  readonly sources: readonly string[];
  readonly types: readonly string[];
}

export interface Interpretation {
  /** This text is left to search for; it is the whole query when otherwise nothing would be left. */
  readonly query: string;
  /** The filter is null when the query restricts nothing. */
  readonly filter: StandardFilter | null;
}

const MONTHS =
  'january|february|march|april|may|june|july|august|september|october|november|december';
/** The expression matches 2024-03-01, 2024-03, March 2024 and 2024. */
const TIME = `(?:\\d{4}-\\d{2}-\\d{2}|\\d{4}-\\d{2}|(?:${MONTHS}) \\d{4}|(?:19|20)\\d{2})`;
const UNIT = '(day|week|month|year)s?';

const NAMED = /(?<![\w:])(source|type):([\w-]+(?:\.[\w-]+)*)|\bfrom ([\w-]+)\b/gi;
const DATED = new RegExp(`\\b(in|from|during|since|after|before) (${TIME})(?![\\w-])`, 'gi');
const ROLLING = new RegExp(
  `\\b(?:(?:in|from|since|during|over) )?(?:the )?(?:last|past) (?:(\\d{1,3}) )?${UNIT}\\b`,
  'gi',
);
const DAY = /\b(?:from|since) (today|yesterday)\b/gi;

export function interpret(query: string, names: Names, now: Date): Interpretation {
  const conditions: Clause[] = [];
  /** Replaces a phrase by a condition; without a condition, the phrase stays in the query. */
  const take = (phrase: string, condition: Clause | null) => {
    if (!condition) return phrase;
    conditions.push(condition);
    return ' ';
  };
  const since = (ms: number): Clause => updated({ gte: new Date(ms).toISOString() });
  const rest = query
    .replace(DATED, (phrase, word: string, time: string) => take(phrase, dated(word, time)))
    .replace(ROLLING, (phrase, count: string | undefined, unit: string) =>
      take(phrase, since(daysAgo(now, Number(count ?? 1), unit))),
    )
    .replace(DAY, (phrase, day: string) =>
      take(phrase, since(daysAgo(now, day.toLowerCase() === 'today' ? 0 : 1, 'day'))),
    )
    .replace(NAMED, (phrase, ...[kind, name, from]: (string | undefined)[]) =>
      take(phrase, named(kind ?? 'source', must(name ?? from), names)),
    )
    .replace(/\s+/g, ' ')
    .trim();
  if (conditions.length === 0) return { query, filter: null };
  return { query: /[\p{L}\p{N}]/u.test(rest) ? rest : query, filter: { must: conditions } };
}

function named(kind: string, name: string, { sources, types }: Names): Clause | null {
  const isType = kind.toLowerCase() === 'type';
  const known = (isType ? types : sources).find((one) => one.toLowerCase() === name.toLowerCase());
  if (known === undefined) return null;
  return { key: isType ? 'entity_type' : 'source_name', match: { value: known } };
}

const updated = (range: { gte?: string; lt?: string }): Clause => ({ key: 'updated_at', range });

function dated(word: string, time: string): Clause | null {
  const [start, end] = span(time);
  if (start === null || end === null) return null;
  switch (word.toLowerCase()) {
    case 'since':
      return updated({ gte: start });
    case 'after':
      return updated({ gte: end });
    case 'before':
      return updated({ lt: start });
    default:
      return updated({ gte: start, lt: end });
  }
}

/**
 * Returns the first instant of a day, month or year, and the first instant of the day, month or year after it. Returns
 * nulls for a text that is not a date.
 */
function span(time: string): readonly [string | null, string | null] {
  const [, month, ofYear] = /^([a-z]+) (\d{4})$/i.exec(time) ?? [];
  const [year, number, day] = month
    ? [Number(ofYear), MONTHS.split('|').indexOf(month.toLowerCase()) + 1, undefined]
    : time.split('-').map(Number);
  const start = new Date(Date.UTC(year!, (number ?? 1) - 1, day ?? 1));
  const next = new Date(start);
  if (day !== undefined) next.setUTCDate(day + 1);
  else if (number !== undefined) next.setUTCMonth(number);
  else next.setUTCFullYear(year! + 1);
  // A day that the month does not have would be a day of the next month.
  const isReal = number === undefined || start.getUTCMonth() === number - 1;
  return isReal ? [start.toISOString(), next.toISOString()] : [null, null];
}

/**
 * Returns midnight (UTC) this many days, weeks, months or years ago. In a month without that day, it is the last
 * day of the month.
 */
function daysAgo(now: Date, count: number, unit: string): number {
  const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
  switch (unit.toLowerCase()) {
    case 'day':
      return date.setUTCDate(date.getUTCDate() - count);
    case 'week':
      return date.setUTCDate(date.getUTCDate() - 7 * count);
    case 'month':
      return monthsAgo(date, count);
    default:
      return monthsAgo(date, 12 * count);
  }
}

function monthsAgo(date: Date, count: number): number {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() - count];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), last));
}

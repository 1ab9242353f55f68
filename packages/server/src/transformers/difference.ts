/** Shows people, line by line, what a transformer has made of an entity. */

import type { Entity } from '../model/entity.ts';
import { canonicalJson } from '../model/hash.ts';
import { toPushed } from './push-form.ts';

const AROUND = 2;

export function difference(before: Entity, after: readonly Entity[]): string {
  const own = after.find(({ id }) => id === before.id);
  const lines = own ? changes(before, own) : [`${before.id}: dropped`];
  for (const added of after)
    if (added !== own) lines.push(`${added.id}: added`, ...fields(toPushed(added), '+'));
  return `${lines.join('\n')}\n`;
}

type PushedFields = Readonly<Record<string, unknown>>;

function changes(before: Entity, after: Entity): string[] {
  const [old, now]: PushedFields[] = [{ ...toPushed(before) }, { ...toPushed(after) }];
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])].filter(
    (key) => canonicalJson(old?.[key]) !== canonicalJson(now?.[key]),
  );
  if (keys.length === 0) return [`${before.id}: unchanged`];
  return [
    `${before.id}: changed`,
    ...keys.flatMap((key) => [`  ${key}`, ...lineDiff(linesOf(old?.[key]), linesOf(now?.[key]))]),
  ];
}

const fields = (all: PushedFields, sign: string): string[] =>
  Object.entries(all).flatMap(([key, value]) => [
    `  ${key}`,
    ...linesOf(value).map((line) => `  ${sign} ${line}`),
  ]);

function linesOf(value: unknown): string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n');
}

/** Shows the lines between the common beginning and the common end of both texts, and a few lines around them. */
function lineDiff(old: readonly string[], now: readonly string[]): string[] {
  const least = Math.min(old.length, now.length);
  let first = 0;
  while (first < least && old[first] === now[first]) first++;
  let last = 0;
  while (last < least - first && old.at(-1 - last) === now.at(-1 - last)) last++;
  const shown = (lines: readonly string[], sign: string) =>
    lines.map((line) => `  ${sign} ${line}`.trimEnd());
  return [
    ...shown(old.slice(Math.max(0, first - AROUND), first), ' '),
    ...shown(old.slice(first, old.length - last), '-'),
    ...shown(now.slice(first, now.length - last), '+'),
    ...shown(old.slice(old.length - last).slice(0, AROUND), ' '),
  ];
}

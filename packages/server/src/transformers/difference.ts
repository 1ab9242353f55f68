/** Shows people, line by line, how a transformer has changed an entity. */
import { structuredPatch } from 'diff';
import type { Entity } from '../model/entity.ts';
import { canonicalJson } from '../model/hash.ts';
import { toPushed } from './push-form.ts';

const CONTEXT_LINES = 2;
/** The time that a comparison takes grows with the square of this number. */
const MAX_EDITS = 1000;

export function difference(before: Entity, after: readonly Entity[]): string {
  const sameEntity = after.find(({ id }) => id === before.id);
  const lines = sameEntity ? changedLines(before, sameEntity) : [`${before.id}: dropped`];
  for (const added of after)
    if (added !== sameEntity) lines.push(`${added.id}: added`, ...fieldLines(toPushed(added), '+'));
  return `${lines.join('\n')}\n`;
}

type PushedFields = Readonly<Record<string, unknown>>;

function changedLines(before: Entity, after: Entity): string[] {
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

const fieldLines = (fields: PushedFields, sign: string): string[] =>
  Object.entries(fields).flatMap(([key, value]) => [
    `  ${key}`,
    ...linesOf(value).map((line) => `  ${sign} ${line}`),
  ]);

function linesOf(value: unknown): string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n');
}

/** Shows the lines that differ and a few lines around them, or all lines of both texts when MAX_EDITS is exceeded. */
function lineDiff(old: readonly string[], now: readonly string[]): string[] {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  const patch = structuredPatch('', '', text(old), text(now), '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  });
  const everything = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  const hunks = patch?.hunks.map(({ lines }) => lines) ?? [everything];
  return hunks.flatMap((lines, i) => [
    ...(i > 0 ? ['  …'] : []),
    ...lines.map((line) => `  ${line.slice(0, 1)} ${line.slice(1)}`.trimEnd()),
  ]);
}

/** Prints what the clients of a load got. */
import type { Tally } from './clients.ts';
import { KINDS } from './kinds.ts';
import { row, timesOf } from './stage.ts';

export function show(
  { answered, refused, again, errors, reasons }: Tally,
  seconds: number,
): { readonly unavailable: number; readonly errors: number } {
  const all = KINDS.flatMap((kind) => answered[kind]);
  const refusals = KINDS.flatMap((kind) => refused[kind]);
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0);
  row('answered/s', (all.length / seconds).toFixed(0));
  row('all, p50 / p95 / p99', timesOf(all));
  for (const kind of KINDS)
    if (answered[kind].length > 0)
      row(`${kind} (${answered[kind].length})`, timesOf(answered[kind]));
  row('refused with 503 or 429', String(refusals.length));
  if (refusals.length > 0) {
    row('… after, p50 / p95 / p99', timesOf(refusals));
    row('… sent again: answered, refused again', `${again.answered}, ${again.refused}`);
  }
  for (const [reason, count] of reasons) row(`… ${count} ×`, reason);
  row('errors', String(failed));
  for (const [error, count] of errors) row(`… ${count} ×`, error);
  const unavailable = [...reasons].filter(([reason]) => reason.startsWith('503'));
  return { unavailable: unavailable.reduce((sum, [, count]) => sum + count, 0), errors: failed };
}

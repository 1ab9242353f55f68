import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** A busy machine needs this long. Each test may take a little longer than this value. */
const PATIENCE_MS = 100_000;
/** A look may cost a request to a service, so the pauses between looks grow from the first value to the last. */
const PAUSE_MS = { first: 5, last: 25 } as const;

type Absent = false | null | undefined;

/** Waits until `look` returns a value, and fails after `patienceMs`. */
export async function until<T>(
  look: () => Absent | T | Promise<Absent | T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  // A simulation moves the clock of its thread, but not this one.
  const deadline = performance.now() + patienceMs;
  for (let pauseMs: number = PAUSE_MS.first; ; pauseMs = Math.min(1.2 * pauseMs, PAUSE_MS.last)) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    assert.ok(performance.now() < deadline, `waited ${patienceMs} ms in vain`);
    await sleep(pauseMs);
  }
}

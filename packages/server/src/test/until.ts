import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** A machine that does much else needs this long, and a test may take a little longer than this. */
const PATIENCE_MS = 100_000;
const PAUSE_MS = 5;

type Absent = false | null | undefined;

/** Waits until `look` returns a value, and fails when the patience ends. */
export async function until<T>(
  look: () => Absent | T | Promise<Absent | T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  for (const deadline = Date.now() + patienceMs; ; await sleep(PAUSE_MS)) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    assert.ok(Date.now() < deadline, `waited ${patienceMs} ms in vain`);
  }
}

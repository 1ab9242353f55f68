/** Limits the time of the processor that a function takes, which other work of the machine does not lengthen. */
import assert from 'node:assert/strict';

/** Throws when `work` takes more milliseconds of this thread; it names `what` in the message. */
export function takesAtMost(ms: number, work: () => void, what = 'the work'): void {
  const before = process.threadCpuUsage();
  work();
  const took = process.threadCpuUsage(before).user / 1000;
  assert.ok(took < ms, `${what} took ${took} ms of at most ${ms}`);
}

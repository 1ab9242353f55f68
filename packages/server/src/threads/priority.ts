/**
 * Lets the threads that answer requests run before those that work in the background. On Linux every thread has a
 * priority of its own: https://man7.org/linux/man-pages/man2/getpriority.2.html, "C library/kernel differences".
 */
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import type { Logger } from 'pino';

/**
 * Gives this thread a lower priority than it has, by so many steps of the nice value. The other systems know only the
 * priority of a whole process, so nothing changes there.
 */
export function lowerPriority(steps: number, log: Logger): void {
  if (process.platform !== 'linux') return;
  try {
    // The link names the thread that reads it, as <process>/task/<thread>.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + steps));
  } catch (error) {
    log.info({ err: error }, 'background work cannot give way to requests: it has their priority');
  }
}

/**
 * Keeps the watch of one connection, and asks for a look after changes. A look is a full sync, so it finds every change
 * that came before it, whatever the watch has said.
 *
 * No change is lost: a look begins after the watch was renewed, and changes are forgotten only before it begins. While
 * another sync of the connection runs, the changes wait.
 */
import type { Logger } from 'pino';
import type { SourceWatch, WatchReport } from '../../sources/watching.ts';
import { createPace } from './pace.ts';

/** While changes go unnoticed, a look follows this long after the last one. */
const POLL_MS = 5 * 60_000;
/** After an error of our own, nothing is tried for this long. */
const FAILED_MS = 5000;
/** While another sync of the connection runs, its end is looked for at least this often. */
const LONGEST_PAUSE_MS = 5000;
/** A pull that failed is followed by a look, each time after twice the pause, up to this one. */
const LONGEST_RETRY_MS = 60 * 60_000;
const MOST_HINTS = 100;

/** `busy` means that a sync has not ended. `refused` means that the connection must not be asked. */
export type LookOutcome = 'started' | 'busy' | 'refused';

export interface KeptWatchDeps {
  readonly open: (changed: (partition: string) => void) => SourceWatch;
  readonly requestLook: () => Promise<LookOutcome>;
  /** Is called when the state of the watch is another one than before. */
  readonly note: (report: WatchReport) => Promise<void>;
  /** The first look after a failed pull follows after this time. */
  readonly retryMs: number;
  readonly log: Logger;
}

export interface KeptWatch {
  /** A sync may find something, although no change was noticed. */
  missed(): void;
  /**
   * Prepares the pull of a sync, which finds all changes until now. Returns a function that returns the partitions in
   * which changes were noticed since its last call. The pull may find these changes too, but a look follows it.
   */
  beforePull(): Promise<() => readonly string[]>;
  /** The changes that a failed pull has not found are looked for again, also when no further change comes. */
  afterPull(isCompleted: boolean): void;
  /** Checks from time to time what no event tells. */
  tick(): void;
  close(): Promise<void>;
}

export function keepWatch({ open, requestLook, note, retryMs, log }: KeptWatchDeps): KeptWatch {
  const pace = createPace();
  const hints = new Set<string>();
  let known: WatchReport | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isChecking = false;
  let isClosed = false;
  let pollAt = Number.POSITIVE_INFINITY;
  let retryAt = Number.POSITIVE_INFINITY;
  let failures = 0;
  /** A look waits since this time for the end of another sync. */
  let busySince: number | undefined;
  const watch = open((partition) => {
    if (hints.size < MOST_HINTS) hints.add(partition);
    missed();
  });

  function missed(): void {
    pace.changed(performance.now());
    arm();
  }

  function arm(): void {
    const at = pace.dueAt();
    if (isClosed || timer || looking || at === null) return;
    timer = setTimeout(wakeUp, Math.max(0, at - performance.now()));
    timer.unref();
  }

  function wakeUp(): void {
    timer = undefined;
    const at = pace.dueAt();
    if (at === null || at > performance.now()) {
      arm();
      return;
    }
    looking = look()
      .catch((error) => {
        if (!isClosed) log.error({ err: error }, 'a watched folder cannot be looked at');
        pace.changed(performance.now());
        pace.restUntil(performance.now() + FAILED_MS);
      })
      .finally(() => {
        looking = undefined;
        arm();
      });
  }

  async function look(): Promise<void> {
    const { state } = await renewed();
    pace.take();
    // The folder is looked at when it is back.
    if (state === 'away') return;
    const outcome = await requestLook();
    if (outcome === 'busy') return waitForOther();
    if (outcome === 'started') pace.looked(performance.now());
    busySince = undefined;
  }

  /** The longer the other sync takes, the longer are the pauses, so that looks at a large folder do not fill the time. */
  function waitForOther(): void {
    const now = performance.now();
    busySince ??= now;
    pace.changed(now);
    pace.restUntil(now + Math.min((now - busySince) / 2, LONGEST_PAUSE_MS));
  }

  async function renewed(): Promise<WatchReport> {
    const report = await watch.renew();
    const isNew = report.state !== known?.state || report.message !== known.message;
    const level = report.state === 'watching' ? 'debug' : 'info';
    if (isNew) log[level]({ state: report.state, reason: report.message }, 'a folder is watched');
    if (isNew || report.device !== known?.device) await note(report);
    known = report;
    pollAt = report.state === 'polling' ? performance.now() + POLL_MS : Number.POSITIVE_INFINITY;
    return report;
  }

  async function check(): Promise<void> {
    if (performance.now() >= Math.min(pollAt, retryAt)) {
      retryAt = Number.POSITIVE_INFINITY;
      missed();
    } else if (known && known.state !== 'polling' && !(await watch.isInPlace())) missed();
  }

  return {
    missed,

    async beforePull() {
      pace.take();
      retryAt = Number.POSITIVE_INFINITY;
      await renewed();
      return () => {
        const partitions = [...hints];
        hints.clear();
        return partitions;
      };
    },

    afterPull(isCompleted) {
      if (isCompleted) failures = 0;
      else retryAt = performance.now() + Math.min(retryMs * 2 ** failures++, LONGEST_RETRY_MS);
    },

    tick() {
      // A drive that does not answer is asked only once.
      if (isChecking) return;
      isChecking = true;
      void check().finally(() => {
        isChecking = false;
      });
    },

    async close() {
      isClosed = true;
      clearTimeout(timer);
      watch.close();
      await looking;
    },
  };
}

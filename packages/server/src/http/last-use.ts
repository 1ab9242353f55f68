/**
 * Writes when keys and sessions were last used. A request neither waits for such a write nor fails with it, because a time
 * that is a little old does no harm. There is one write at a time, because writes that wait would keep the connections to the
 * database from requests that read; a use that is left out is noted with the next one.
 */

/** The last-used time of one thing is written at most this often. */
const NOTE_EVERY_MS = 60_000;

interface LastUse {
  note(used: { readonly id: string; readonly lastUsedAt: number | null }, now: number): void;
  /** Waits until the last-used time that is being written has been written. */
  settled(): Promise<void>;
}

export function createLastUse(
  write: (id: string, at: number) => Promise<unknown>,
  onError: (error: unknown) => void,
): LastUse {
  let writing: Promise<void> | undefined;
  return {
    note({ id, lastUsedAt }, now) {
      if (writing || (lastUsedAt !== null && now - lastUsedAt < NOTE_EVERY_MS)) return;
      writing = write(id, now)
        .then(() => undefined, onError)
        .finally(() => {
          writing = undefined;
        });
    },
    settled: async () => writing,
  };
}

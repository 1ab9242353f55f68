/**
 * A source that has asked to wait is not asked until the pause is over, because asking would make the pause longer.
 */
import type { FederatedConnection } from './store.ts';

/** When a source does not say how long to wait, its pause lasts for this many seconds. */
const USUAL_SECONDS = 60;
const MAX_SECONDS = 3600;
/** A source may ask for no time at all, and must still not be asked again at once. */
const MIN_SECONDS = 1;

type PauseKey = Pick<FederatedConnection, 'id' | 'authenticated_at'>;

export function createPauses(now: () => number = () => performance.now()) {
  /**
   * The instants are in milliseconds. New credentials have another key, because they may belong to another
   * account, which need not wait.
   */
  const until = new Map<string, number>();
  const keyOf = ({ id, authenticated_at }: PauseKey) => `${id} ${authenticated_at}`;

  return {
    /** Begins a pause of the `seconds` that the source has asked for, within the limits above. */
    begin(connection: PauseKey, seconds = USUAL_SECONDS): void {
      for (const [key, time] of until) if (time <= now()) until.delete(key);
      until.set(
        keyOf(connection),
        now() + Math.max(MIN_SECONDS, Math.min(seconds, MAX_SECONDS)) * 1000,
      );
    },

    /** Returns whole seconds; 0 means that the source may be asked. */
    secondsLeft: (connection: PauseKey): number =>
      Math.max(0, Math.ceil(((until.get(keyOf(connection)) ?? 0) - now()) / 1000)),
  };
}

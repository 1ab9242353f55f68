/**
 * A source that has asked to wait is not asked until the wait is over, because asking would make the wait longer.
 */
import type { FederatedConnection } from './store.ts';

/** A source that does not say how long to wait is not asked for this many seconds. */
const USUAL = 60;
const LONGEST = 3600;

type PatienceKey = Pick<FederatedConnection, 'id' | 'authenticated_at'>;

export function createPatience(now: () => number = () => performance.now()) {
  /**
   * The instants are in milliseconds. New credentials have another key, because they may belong to another
   * account, which no source has refused.
   */
  const until = new Map<string, number>();
  const keyOf = ({ id, authenticated_at }: PatienceKey) => `${id} ${authenticated_at}`;

  return {
    /** Remembers the `seconds` that the source has asked for. */
    ask(connection: PatienceKey, seconds = USUAL): void {
      for (const [key, time] of until) if (time <= now()) until.delete(key);
      until.set(keyOf(connection), now() + Math.min(seconds, LONGEST) * 1000);
    },

    /** Returns whole seconds from now on; 0 means that the source may be asked. */
    secondsFor: (connection: PatienceKey): number =>
      Math.max(0, Math.ceil(((until.get(keyOf(connection)) ?? 0) - now()) / 1000)),
  };
}

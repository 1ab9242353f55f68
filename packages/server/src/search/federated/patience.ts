/** Sources that have asked for patience are left alone until it is over: asking on would make it longer. */
import type { FederatedConnection } from './store.ts';

/** A source that does not say how long is left alone for so many seconds. */
const USUAL = 60;
const LONGEST = 3600;

type PatienceKey = Pick<FederatedConnection, 'id' | 'authenticated_at'>;

export function createPatience(now: () => number = () => performance.now()) {
  /** The instants are in milliseconds. New credentials may be of another account, which nobody has refused. */
  const until = new Map<string, number>();
  const keyOf = ({ id, authenticated_at }: PatienceKey) => `${id} ${authenticated_at}`;

  return {
    /** Remembers `seconds` as the source has said. */
    ask(connection: PatienceKey, seconds = USUAL): void {
      for (const [key, time] of until) if (time <= now()) until.delete(key);
      until.set(keyOf(connection), now() + Math.min(seconds, LONGEST) * 1000);
    },

    /** Gives whole seconds from now on; 0 when the source may be asked. */
    secondsFor: (connection: PatienceKey): number =>
      Math.max(0, Math.ceil(((until.get(keyOf(connection)) ?? 0) - now()) / 1000)),
  };
}

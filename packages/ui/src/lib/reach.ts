/** Knows whether the service answers. Two failed calls in a row count as silence. */
import { useSyncExternalStore } from 'react';

export interface Reach {
  readonly isAway: boolean;
  /** The service has answered at this time of the browser's clock, in milliseconds; null before the first answer. */
  readonly answeredAt: number | null;
}

let reach: Reach = { isAway: false, answeredAt: null };
let failures = 0;
const listeners = new Set<() => void>();
const answerListeners = new Set<() => void>();

function change(next: Reach): void {
  reach = next;
  for (const listener of listeners) listener();
}

export function noteAnswer(): void {
  failures = 0;
  const { isAway } = reach;
  reach = { isAway: false, answeredAt: Date.now() };
  if (isAway) change(reach);
  for (const listener of answerListeners) listener();
}

/** Calls the listener at each answer of the service, until the returned function is called. */
export function onAnswer(listener: () => void): () => void {
  answerListeners.add(listener);
  return () => answerListeners.delete(listener);
}

export function noteSilence(): void {
  failures++;
  if (failures >= 2 && !reach.isAway) change({ ...reach, isAway: true });
}

export const useReach = (): Reach =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => reach,
  );

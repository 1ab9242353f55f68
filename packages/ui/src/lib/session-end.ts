import { Refusal } from './refusal.ts';

/** Listeners hear that the session has ended. */
const endListeners = new Set<() => void>();

export function onSessionEnd(listener: () => void): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** Tells the listeners when the error says that the session has ended. */
export function hear(error: unknown): void {
  if (error instanceof Refusal && error.status === 401) for (const heard of endListeners) heard();
}

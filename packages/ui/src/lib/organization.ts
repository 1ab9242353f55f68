/**
 * The organization in which requests act. Each tab keeps its own, so that a choice in one tab does not lead what is
 * done in another one to the other organization. A new tab begins with the last choice of the browser.
 */
import { useSyncExternalStore } from 'react';

const KEY = 'quarry.organization';

let current = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
const listeners = new Set<() => void>();

export const currentOrganization = (): string | null => current;

/** When the id is null, the service chooses an organization of the person. */
export function chooseOrganization(id: string | null): void {
  current = id;
  for (const kept of [sessionStorage, localStorage]) {
    if (id === null) kept.removeItem(KEY);
    else kept.setItem(KEY, id);
  }
  for (const listener of listeners) listener();
}

/** Keeps this tab in the organization that the service has decided on. */
export function holdOrganization(id: string): void {
  current = id;
  sessionStorage.setItem(KEY, id);
}

export const useOrganization = (): string | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );

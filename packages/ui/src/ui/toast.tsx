import { useSyncExternalStore } from 'react';

const SHOWN_MS = 5000;

let shown: readonly { readonly id: number; readonly text: string }[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: typeof shown): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Says for a few seconds that something was done. What went wrong stands beside its cause instead. */
export function toast(text: string): void {
  const id = ++lastId;
  show([...shown, { id, text }]);
  setTimeout(() => show(shown.filter((one) => one.id !== id)), SHOWN_MS);
}

export function Toasts() {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <div className="toasts" role="status">
      {all.map(({ id, text }) => (
        <div key={id} className="toast">
          {text}
        </div>
      ))}
    </div>
  );
}

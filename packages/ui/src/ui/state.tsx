import type { ReactNode } from 'react';

export type Tone = 'ok' | 'live' | 'wait' | 'warn' | 'bad' | 'none';

/** Shows a state by its shape, its colour and its word. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`state ${tone}`}>{children}</span>;
}

import type { ReactNode } from 'react';
import type { Tone } from '../lib/states.ts';

/** Shows a state by its shape, its colour and its word. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`state ${tone}`}>{children}</span>;
}

import type { ReactNode } from 'react';

/** A part that scrolls sideways, such as a wide table. It takes the focus, so that it can be scrolled by keyboard. */
export const Scroller = ({ children }: { readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
  <section className="table" tabIndex={0}>
    {children}
  </section>
);

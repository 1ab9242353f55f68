/** Reads the colours of the theme for what is drawn on a canvas. */
import { type RefObject, useEffect, useState } from 'react';

const NAMES = {
  line: '--d-words',
  area: '--accent-soft',
  mark: '--bad',
  text: '--ink-3',
  grid: '--line',
} as const;
export type Colours = Readonly<Record<keyof typeof NAMES, string>>;

/** Returns null before the element is in the page, and other colours when the theme changes. */
export function useColours(element: RefObject<HTMLElement | null>): Colours | null {
  const [colours, setColours] = useState<Colours | null>(null);
  useEffect(() => {
    const read = () => {
      if (element.current) setColours(coloursIn(element.current));
    };
    read();
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', read);
    const choice = new MutationObserver(read);
    choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', read);
      choice.disconnect();
    };
  }, [element]);
  return colours;
}

/** The value of a custom property has both themes in it. The colour of an element is the one that applies. */
function coloursIn(parent: HTMLElement): Colours {
  const probe = document.createElement('span');
  parent.append(probe);
  const read = Object.entries(NAMES).map(([name, property]) => {
    probe.style.color = `var(${property})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(read) as Colours;
}

/** Keeps only those rows of a long list in the page that can be seen. */
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** A shorter list is in the page as a whole, so that the browser finds text in it. */
const LEAST = 200;
/** So many rows more are ready above and below, for the keyboard and for fast scrolling. */
const OVERSCAN = 12;

/** A row, or the empty room of rows that are not in the page. */
export type VirtualPart =
  | { readonly key: string; readonly index: number }
  | { readonly key: string; readonly height: number };

interface VirtualRows<Container extends HTMLElement> {
  readonly container: RefObject<Container | null>;
  readonly parts: readonly VirtualPart[];
  /** The element of each row takes these, so that its height is known. */
  readonly rowProps: (index: number) => {
    readonly 'data-index': number;
    readonly ref: (element: Element | null) => void;
    readonly onFocus: (event: FocusEvent) => void;
    readonly onBlur: (event: FocusEvent) => void;
  };
}

export function useVirtualRows<Container extends HTMLElement>({
  count,
  heightPx,
}: {
  readonly count: number;
  /** Rows that were not shown yet count as so high. */
  readonly heightPx: number;
}): VirtualRows<Container> {
  const container = useRef<Container>(null);
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<number | null>(null);
  useLayoutEffect(() => {
    if (container.current) setTop(container.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  const isVirtual = count >= LEAST;
  const virtualizer = useWindowVirtualizer({
    // The heights of a shorter list are measured too, so that nothing moves when the list becomes longer.
    count,
    estimateSize: () => heightPx,
    overscan: OVERSCAN,
    scrollMargin: top,
    // A row that has the focus stays, however far somebody scrolls away from it.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...(focused === null ? [] : [focused])])]
        .filter((index) => index < count)
        .sort((a, b) => a - b),
  });
  const rows = virtualizer.getVirtualItems();
  const parts: VirtualPart[] = [];
  let end = top;
  if (isVirtual) {
    for (const { index, start, end: next } of rows) {
      if (start > end) parts.push({ key: `gap before ${index}`, height: start - end });
      parts.push({ key: String(index), index });
      end = next;
    }
    const rest = virtualizer.getTotalSize() + top - end;
    if (rest > 0) parts.push({ key: 'gap at the end', height: rest });
  } else for (let index = 0; index < count; index++) parts.push({ key: String(index), index });
  return {
    container,
    parts,
    rowProps: (index) => ({
      'data-index': index,
      ref: virtualizer.measureElement,
      onFocus: () => setFocused(index),
      onBlur: () => setFocused(null),
    }),
  };
}

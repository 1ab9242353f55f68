/** Searches in spans of a binary Word document, which are in ascending order. */

/** Returns the number of spans that begin at this position or before it. */
export function countUpTo(spans: readonly { readonly start: number }[], position: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.start ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A span is the part of a text from `start` up to `end` (excluded), which a label replaces. */

export interface TextSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/**
 * Returns the spans in order. Spans that overlap become one span with the label of the first, so that no part of them
 * stays.
 */
export function inOrder(spans: readonly TextSpan[]): TextSpan[] {
  const merged: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

export function withLabels(text: string, spans: readonly TextSpan[]): string {
  let at = 0;
  const parts = spans.flatMap(({ start, end, label }) => {
    const part = [text.slice(at, start), label];
    at = end;
    return part;
  });
  return parts.join('') + text.slice(at);
}

/**
 * Returns for each offset of the text the offset after the replacement. An offset within a span becomes the start of its
 * label. Offsets and spans must be in order.
 */
export function moved(offsets: readonly number[], spans: readonly TextSpan[]): number[] {
  let next = 0;
  let shift = 0;
  return offsets.map((offset) => {
    for (; next < spans.length && spans[next]!.end <= offset; next++)
      shift += spans[next]!.label.length - (spans[next]!.end - spans[next]!.start);
    const span = spans[next];
    return span && span.start < offset ? span.start + shift : offset + shift;
  });
}

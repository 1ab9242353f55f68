/** Stretches of a text that something else takes the place of. */

export interface Span {
  readonly start: number;
  readonly end: number;
  /** What stands there instead. */
  readonly label: string;
}

/** In order, without those that overlap one before them; where two begin, the longer one counts. */
export function inOrder(spans: readonly Span[]): Span[] {
  let end = 0;
  return spans
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .flatMap((span) => {
      if (span.end <= end) return [];
      // The rest of one that begins within another must go as well.
      const rest = { ...span, start: Math.max(span.start, end) };
      end = span.end;
      return [rest];
    });
}

export function replaced(text: string, spans: readonly Span[]): string {
  let at = 0;
  const parts = spans.flatMap(({ start, end, label }) => {
    const part = [text.slice(at, start), label];
    at = end;
    return part;
  });
  return parts.join('') + text.slice(at);
}

/** Where an offset of the text is afterwards; both in order. */
export function moved(offsets: readonly number[], spans: readonly Span[]): number[] {
  let next = 0;
  let shift = 0;
  return offsets.map((offset) => {
    for (; next < spans.length && spans[next]!.end <= offset; next++)
      shift += spans[next]!.label.length - (spans[next]!.end - spans[next]!.start);
    const span = spans[next];
    return span && span.start < offset ? span.start + shift : offset + shift;
  });
}

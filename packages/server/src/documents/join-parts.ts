/** Puts the pages, slides or other parts of a document after each other, and notes where each begins. */
const BETWEEN_PARTS = '\n\n';

export interface JoinedParts {
  readonly text: string;
  /** These are the offsets in `text` at which the parts begin. */
  readonly pages: readonly number[];
}

export function joinParts(parts: readonly string[]): JoinedParts {
  let length = 0;
  const pages = parts.map((part) => {
    const start = length;
    length += part.length + BETWEEN_PARTS.length;
    return start;
  });
  return { text: parts.join(BETWEEN_PARTS), pages };
}

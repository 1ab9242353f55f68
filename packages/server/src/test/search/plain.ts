/** A search with these options asks no model, and returns everything on one page. */
export const PLAIN = {
  expand_query: false,
  rerank: false,
  generate_answer: false,
  limit: 1000,
} as const;

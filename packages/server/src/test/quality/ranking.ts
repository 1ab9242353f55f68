/** BM25 and nDCG are written a second time for the tests, so that they do not share the mistakes of the service. */

const K1 = 1.2;
const B = 0.75;

/** Returns a function that scores all documents for a query. Documents and query are lists of terms. */
export function createBm25(documents: readonly (readonly string[])[]) {
  const postings = new Map<string, Map<number, number>>();
  documents.forEach((terms, document) => {
    for (const term of terms) {
      const counts = postings.get(term) ?? new Map<number, number>();
      postings.set(term, counts.set(document, (counts.get(document) ?? 0) + 1));
    }
  });
  const average = documents.reduce((sum, terms) => sum + terms.length, 0) / documents.length;
  return (query: readonly string[]): Float64Array => {
    const scores = new Float64Array(documents.length);
    for (const term of query) {
      const counts = postings.get(term) ?? new Map<number, number>();
      const idf = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [document, count] of counts) {
        const length = 1 - B + (B * documents[document]!.length) / average;
        scores[document]! += (idf * count * (K1 + 1)) / (count + K1 * length);
      }
    }
    return scores;
  };
}

/** Returns the nDCG of the documents with the ten best scores. Ties keep the order of the documents. */
export function ndcg10(scores: Float64Array, relevant: ReadonlySet<number>): number {
  const best = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, 10);
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const found = best.reduce((sum, doc, rank) => sum + (relevant.has(doc) ? gain(rank) : 0), 0);
  let ideal = 0;
  for (let rank = 0; rank < Math.min(10, relevant.size); rank++) ideal += gain(rank);
  return found / ideal;
}

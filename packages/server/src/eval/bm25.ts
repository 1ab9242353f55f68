/**
 * Plain BM25 over whole documents is the baseline with which every stage is compared. Its k1 is 1.2 and its b is 0.75.
 * It reads title and text as one text, with `. ` between them, and splits it into the same terms as our index
 * (model/terms.ts).
 */
import { terms } from '../model/terms.ts';
import type { JudgedDocument } from './judged.ts';

const K1 = 1.2;
const B = 0.75;

/**
 * Returns a function that ranks the documents that share a term with the query; documents of equal score keep their
 * order.
 */
export function createBm25(
  documents: readonly JudgedDocument[],
): (query: string, limit: number) => string[] {
  const postings = new Map<string, { readonly document: number; count: number }[]>();
  const lengths = documents.map(({ title, text }, document) => {
    const found = terms(title === '' ? text : `${title}. ${text}`);
    for (const term of found) {
      const list = postings.get(term) ?? [];
      postings.set(term, list);
      const last = list.at(-1);
      if (last?.document === document) last.count++;
      else list.push({ document, count: 1 });
    }
    return found.length;
  });
  const averageLength =
    lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1;
  return (query, limit) => {
    const scores = new Map<number, number>();
    for (const term of terms(query)) {
      const list = postings.get(term) ?? [];
      const idf = Math.log(1 + (lengths.length - list.length + 0.5) / (list.length + 0.5));
      for (const { document, count } of list) {
        const length = 1 - B + (B * lengths[document]!) / averageLength;
        const gain = (idf * count * (K1 + 1)) / (count + K1 * length);
        scores.set(document, (scores.get(document) ?? 0) + gain);
      }
    }
    return [...scores]
      .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
      .slice(0, limit)
      .map(([document]) => documents[document]!.id);
  };
}

/**
 * Computes which pieces (chunks) a search must find. The strategy decides whether these share a word with the query,
 * have a similar meaning, or either.
 */
import { embeddedText } from '../../../documents/split.ts';
import type { Embedder } from '../../../engines/ports.ts';
import { terms } from '../../../model/terms.ts';
import { indexTerms } from '../../../model/title.ts';
import { quantize, type Vector } from '../../../model/vector.ts';
import type { Strategy } from '../../../search/rank.ts';
import { must } from '../../../util.ts';
import type { Piece } from '../../random/world.ts';

const never = new AbortController().signal;
/** Maps texts to their vectors. All cases use the built-in embedder. */
const known = new Map<string, Vector>();

export async function found(
  embedder: Embedder,
  { query, strategy }: { readonly query: string; readonly strategy: Strategy },
  pieces: readonly Piece[],
): Promise<Piece[]> {
  const [asked] = await embedder.embed([query], 'query', never);
  const wanted = quantize(must(asked));
  const texts = pieces.map(textOf);
  await learn(embedder, texts);
  return pieces.filter((piece, i) => {
    const byWords = strategy !== 'neural' && sharesTerm(piece, query);
    const byMeaning = strategy !== 'keyword' && isNear(wanted, must(known.get(must(texts[i]))));
    return byWords || byMeaning;
  });
}

async function learn(embedder: Embedder, texts: readonly string[]): Promise<void> {
  const unknown = texts.filter((text) => !known.has(text));
  const vectors = await embedder.embed(unknown, 'document', never);
  for (const [i, text] of unknown.entries()) known.set(text, quantize(must(vectors[i])));
}

const textOf = ({ doc, text }: Piece) => embeddedText(doc.name, { text, heading: null });

/** A piece is a candidate only when its cosine with the query is above zero. */
const isNear = (a: Vector, b: Vector): boolean =>
  a.values.reduce((sum, value, i) => sum + value * must(b.values[i]), 0) > 0;

function sharesTerm({ doc, text }: Piece, query: string): boolean {
  const there = new Set(indexTerms({ name: doc.name, heading: null, text }));
  return terms(query).some((term) => there.has(term));
}

/**
 * Appends the live pieces to the indexed ones, without duplicates. A duplicate has the id of another piece from a
 * source of the same kind, or the URL of a piece from another connection.
 */
export function withoutDuplicates(indexed: readonly Piece[], live: readonly Piece[]): Piece[] {
  const kept = [...indexed];
  for (const piece of live) {
    const sameId = kept.some(
      (other) => other.id === piece.id && other.connection.shortName === piece.connection.shortName,
    );
    const sameUrl = kept.find(({ doc }) => doc.url !== undefined && doc.url === piece.doc.url);
    if (sameId || (sameUrl && sameUrl.connection.id !== piece.connection.id)) continue;
    kept.push(piece);
  }
  return kept;
}

/**
 * Tells which pieces a strategy finds: those that share a word with the query, those with a near meaning, or
 * both.
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
/** The vectors come from one embedder, the built-in one. */
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

const textOf = ({ doc, text }: Piece) =>
  embeddedText(doc.name, { text, heading: null, page: null });

/** A piece at a right angle to the query, or beyond, is not a candidate. */
const isNear = (a: Vector, b: Vector): boolean =>
  a.values.reduce((sum, value, i) => sum + value * must(b.values[i]), 0) > 0;

function sharesTerm({ doc, text }: Piece, query: string): boolean {
  const there = new Set(indexTerms({ name: doc.name, heading: null, text }));
  return terms(query).some((term) => there.has(term));
}

/**
 * Adds live pieces after the indexed ones, without twins: by id within a kind of source, by URL between
 * connections.
 */
export function withoutTwins(indexed: readonly Piece[], live: readonly Piece[]): Piece[] {
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

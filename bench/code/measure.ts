/** Asks the questions of a set, and measures where the right piece is. */
import { openTemporary } from '../../packages/server/src/eval/library.ts';
import type { Piece } from '../../packages/server/src/model/chunk.ts';
import { SearchBody } from '../../packages/server/src/search/schema.ts';
import type { Figures } from './figures.ts';
import type { Question } from './questions.ts';
import type { CodeSet } from './set.ts';
import { split } from './variants.ts';

export interface Measured {
  /** The list has one entry for each question. */
  readonly figures: readonly Figures[];
  readonly pieces: number;
}

const DEPTH = 100;

/** Cuts the documents by the variant in use, stores them, and searches with the defaults of the service. */
export async function measure(set: CodeSet): Promise<Measured> {
  const pieces = new Map(
    set.documents.map(({ id, title, text }) => [id, split({ name: title, text })] as const),
  );
  const library = await openTemporary(set.documents, () => {});
  try {
    const { search } = library.searchWith((await library.weights()).used);
    const { organizationId, collectionId } = library.place;
    const asker = { organizationId, collectionIds: [collectionId], principals: null };
    const ranked = async (query: string, filter: object | null) => {
      const body = SearchBody.parse({ query, filter, limit: DEPTH, generate_answer: false });
      const { results } = await search({ ...asker, body }, new AbortController().signal);
      return results.map(({ entity_id }) => entity_id);
    };
    const figures: Figures[] = [];
    for (const question of set.questions) {
      const { document, text } = question;
      const own = pieces.get(document)!;
      const inFile = { must: [{ key: 'original_entity_id', match: { value: document } }] };
      const all = figuresOf(await ranked(text, null), question, own);
      const file = figuresOf(await ranked(text, inFile), question, own);
      figures.push({ ...all, 'file R@1': file['R@1'], 'file R@5': file['R@5'] });
    }
    return { figures, pieces: [...pieces.values()].flat().length };
  } finally {
    await library.close();
  }
}

/**
 * The right piece is the one with the line of the question. nDCG@10 counts how much of the definition the first ten
 * results show: the share of its lines in each result, discounted by rank; all of it in the first result gives 1.
 */
function figuresOf(
  ranked: readonly string[],
  { document, anchor, first, last }: Question,
  pieces: readonly Piece[],
): Pick<Figures, 'R@1' | 'R@5' | 'MRR' | 'nDCG@10'> {
  const endOf = (i: number) => pieces[i + 1]?.line ?? Number.POSITIVE_INFINITY;
  const right = Math.max(
    0,
    pieces.findIndex(({ line }, i) => line <= anchor && anchor < endOf(i)),
  );
  const rank = ranked.indexOf(`${document}__chunk_${right}`);
  let shown = 0;
  for (const [i, id] of ranked.slice(0, 10).entries()) {
    const [of, position = ''] = id.split('__chunk_');
    const piece = of === document ? pieces[Number(position)] : undefined;
    if (!piece) continue;
    const lines = Math.min(endOf(Number(position)), last + 1) - Math.max(piece.line, first);
    shown += Math.max(0, lines) / (last + 1 - first) / Math.log2(i + 2);
  }
  return {
    'R@1': Number(rank === 0),
    'R@5': Number(rank >= 0 && rank < 5),
    MRR: rank < 0 ? 0 : 1 / (rank + 1),
    'nDCG@10': shown,
  };
}

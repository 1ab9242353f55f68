/**
 * Explains why a result was found and why it has its place: which arm found it, what its score consists of, and
 * why the asker may see it. The parts add up to the score that is shown.
 */
import { cosine } from '../model/vector.ts';
import { digestOf } from './digest.ts';
import { createWordScorer } from './features.ts';
import { plainMeaning } from './meaning.ts';
import type { PlacedItem } from './rank.ts';
import type { RankedRow, ResultPage } from './ranking.ts';
import type { Explanation } from './schema.ts';
import { partsOf } from './score.ts';
import type { ChunkRow } from './store.ts';

export interface ExplainInput {
  /** These are the principals that the caller named; null means that access control does not apply. */
  readonly principals: readonly string[] | null;
  /** These are the same principals and their groups. */
  readonly expanded: readonly string[] | null;
  readonly recencyBias: number;
}

export function explain(
  item: PlacedItem<RankedRow>,
  page: ResultPage,
  asked: ExplainInput,
): Explanation {
  return {
    arms: armsOf(item, page),
    parts: addendsOf(item, asked),
    access: accessOf(item.row, asked),
  };
}

function armsOf({ n, row }: RankedRow, { arms, wanted }: ResultPage): Explanation['arms'] {
  const { question, vector } = wanted;
  const digest = digestOf(row, row);
  return arms.map(({ name, numbers }) => {
    const rank = numbers.indexOf(n) + 1;
    const score =
      name === 'words'
        ? createWordScorer(question).lexical(digest)
        : vector && plainMeaning(cosine(vector, digest.vector));
    return { arm: name, rank: rank === 0 ? null : rank, score };
  });
}

function addendsOf(
  item: PlacedItem<RankedRow>,
  { recencyBias }: ExplainInput,
): Explanation['parts'] {
  const parts = partsOf(item.scores, item.at).map(({ name, value, weight }) => {
    const share = weight * (1 - recencyBias);
    return { name, value, weight: share, adds: value * share };
  });
  if (recencyBias > 0) {
    const { recency } = item;
    parts.push({
      name: 'recency',
      value: recency,
      weight: recencyBias,
      adds: recency * recencyBias,
    });
  }
  const sum = parts.reduce((total, { adds }) => total + adds, 0);
  // A result is lowered by this much to stay below results that stand before it.
  const place = item.score - sum;
  if (Math.abs(place) > Number.EPSILON * 8)
    parts.push({ name: 'place', value: place, weight: 1, adds: place });
  return parts;
}

/** Returns the first of the reasons that apply. */
function accessOf(
  { is_public, viewers }: Pick<ChunkRow, 'is_public' | 'viewers'>,
  { principals, expanded }: ExplainInput,
): Explanation['access'] {
  if (principals === null) return { reason: 'organization', principal: null };
  if (is_public) return { reason: 'public', principal: null };
  if (viewers === null) return { reason: 'unrestricted', principal: null };
  const named = viewers.find((viewer) => principals.includes(viewer));
  if (named !== undefined) return { reason: 'viewer', principal: named };
  const group = viewers.find((viewer) => expanded?.includes(viewer)) ?? null;
  return { reason: 'group', principal: group };
}

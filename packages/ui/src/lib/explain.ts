/** Groups the parts of a score, so that a person understands them. */

const GROUPS = ['words', 'meaning', 'title', 'recency', 'place'] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_NAMES: Record<Group, string> = {
  words: 'Words',
  meaning: 'Meaning',
  title: 'Title and heading',
  recency: 'Recency',
  place: 'Behind a better passage of the same record',
};

const GROUP_OF: Record<string, Group> = {
  lexical: 'words',
  coverage: 'words',
  pairs: 'words',
  near: 'words',
  window: 'words',
  run: 'words',
  first: 'words',
  meaning: 'meaning',
  related: 'meaning',
  topic: 'meaning',
  title: 'title',
  titleMeaning: 'title',
  recency: 'recency',
  place: 'place',
};

interface ScorePart {
  readonly name: string;
  readonly adds: number;
}

export interface ShownPart {
  readonly group: Group;
  readonly adds: number;
}

/**
 * Adds the parts of each group, rounded to three decimals. The largest group takes what rounding has left over, so that
 * the shown parts add up to the shown score. Parts of unknown names count as words.
 */
export function shownPartsOf(parts: readonly ScorePart[], score: number): ShownPart[] {
  const sums = new Map<Group, number>();
  for (const { name, adds } of parts) {
    const group = GROUP_OF[name] ?? 'words';
    sums.set(group, (sums.get(group) ?? 0) + adds);
  }
  const shown = GROUPS.flatMap((group) => {
    const thousandths = Math.round((sums.get(group) ?? 0) * 1000);
    return thousandths === 0 ? [] : { group, thousandths };
  });
  const total = shown.reduce((sum, { thousandths }) => sum + thousandths, 0);
  const largest = shown.reduce<(typeof shown)[number] | undefined>(
    (most, one) => (most && most.thousandths >= one.thousandths ? most : one),
    undefined,
  );
  if (largest) largest.thousandths += Math.round(score * 1000) - total;
  return shown.map(({ group, thousandths }) => ({ group, adds: thousandths / 1000 }));
}

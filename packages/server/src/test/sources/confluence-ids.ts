/** Says which ids the source `confluence` gives to the records of the fake. */
import type { ConfluenceRecord } from './confluence-words.ts';

/** Records that are archived are left out. */
export const recordId = ({ kind, id, isArchived }: ConfluenceRecord): string | null => {
  if (isArchived) return null;
  return `${kind === 'footer' || kind === 'inline' ? 'comment' : kind}/${id}`;
};

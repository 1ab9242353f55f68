import type { Schemas } from '../api/client.ts';

/** These are the kinds of sources between which the first run lets a person choose. */
export const KINDS = ['folder', 'database', 'app'] as const;
export type Kind = (typeof KINDS)[number];

/** Returns null for a source into which records are pushed, because it has nothing to read. */
export function kindOf({
  short_name,
  labels,
}: Pick<Schemas['SourceType'], 'short_name' | 'labels'>) {
  if (short_name === 'push') return null;
  if (short_name === 'files') return 'folder';
  return labels.includes('Database') ? 'database' : 'app';
}

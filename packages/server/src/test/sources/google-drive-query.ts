/** Parses a query of files.list. Returns null for a query with a term that the fake does not know. */
import type { PeerFile } from './google-drive-world.ts';

type Matches = (file: PeerFile) => boolean;

export function filterOf(q: string, isTrashed: Matches): Matches | null {
  const terms = q === '' ? [] : q.split(' and ').map((term) => termOf(term, isTrashed));
  const known = terms.filter((term) => term !== null);
  return known.length === terms.length ? (file) => known.every((term) => term(file)) : null;
}

function termOf(term: string, isTrashed: Matches): Matches | null {
  const text = "'((?:[^'\\\\]|\\\\.)*)'";
  const match = (pattern: string) =>
    new RegExp(`^${pattern}$`).exec(term)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const trashed = match('trashed = (true|false)');
  if (trashed !== undefined) return (file) => String(isTrashed(file)) === trashed;
  const parent = match(`${text} in parents`);
  if (parent !== undefined) return (file) => file.parent === parent;
  const type = match(`mimeType = ${text}`);
  if (type !== undefined) return ({ mimeType }) => mimeType === type;
  const name = match(`name contains ${text}`);
  if (name !== undefined) return (file) => file.name.toLowerCase().includes(name.toLowerCase());
  return null;
}

/**
 * Names of tools are short, because clients put the name of the server before them, and models accept 64
 * characters.
 */
import { createHash } from 'node:crypto';

const LONGEST_NAME = 50;
const HASH_CHARACTERS = 6;

/** Returns `search-{collection}`; a long name is cut and gets a hash of the whole collection name. */
export function searchToolName(collection: string): string {
  const name = `search-${collection}`;
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash('sha256').update(collection).digest('hex').slice(0, HASH_CHARACTERS);
  return `${name.slice(0, LONGEST_NAME - HASH_CHARACTERS - 1)}-${hash}`;
}

/** Decides things of the first run from what the service says. */
import type { Schemas } from '../api/client.ts';

/** The first start makes this collection of the documentation, so that there is something to search at once. */
export const SAMPLE = 'quarry-docs';

/** Returns true while the organization has nothing of its own to search. */
export const isFirstRun = (
  collections: readonly Pick<Schemas['Collection'], 'readable_id' | 'source_connections'>[],
): boolean =>
  collections.every(
    ({ readable_id, source_connections }) => readable_id === SAMPLE || source_connections === 0,
  );

const LEAST = 4;
const MOST = 42;

/** Returns a name that collections and connections may have, such as "handbook" for /home/ann/handbook/. */
export function nameOfFolder(path: string): string {
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  const name = last.length < LEAST ? `${last} folder`.trim() : last;
  return [...name].slice(0, MOST).join('');
}

/** Most people write their questions in lower case, and one word alone shows little. */
const WORDS = /[\p{L}\p{N}]{2,}/gu;
const MOST_WORDS = 4;

/** Returns up to three searches that find something, made from the names of records. */
export function suggestedSearches(names: readonly string[]): string[] {
  const texts = names.flatMap((name) => {
    const words =
      name
        .replace(/\.\w{1,5}$/, '')
        .toLowerCase()
        .match(WORDS) ?? [];
    const text = words.slice(0, MOST_WORDS).join(' ');
    return text.length < 4 || !/\p{L}/u.test(text) ? [] : { text, isLong: words.length > 1 };
  });
  const long = texts.filter(({ isLong }) => isLong);
  const best = [...long, ...texts.filter(({ isLong }) => !isLong)];
  return [...new Set(best.map(({ text }) => text))].slice(0, 3);
}

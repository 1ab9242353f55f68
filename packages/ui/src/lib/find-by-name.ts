/** Finds named things by what somebody types. */

export interface Named {
  readonly name: string;
  /** Words by which the thing is also found. */
  readonly also?: string;
}

/**
 * Returns the `most` best things that have every typed word in their names. The name that was typed comes first, then
 * names that begin with the words, and then names in which each word begins a word. Upper and lower case and accents do not count.
 */
export function findByName<Thing extends Named>(
  things: readonly Thing[],
  typed: string,
  most: number,
): Thing[] {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  const whole = words.join(' ');
  const ranked: Thing[][] = [[], [], [], []];
  for (const thing of things) {
    const name = folded(thing.name);
    const all = `${name} ${folded(thing.also ?? '')}`;
    if (!words.every((word) => all.includes(word))) continue;
    const beginsWords = words.every((word) => all.split(/[\s/_.-]+/).some(beginsWith(word)));
    const rank = name === whole ? 0 : name.startsWith(whole) ? 1 : beginsWords ? 2 : 3;
    ranked[rank]?.push(thing);
  }
  return ranked.flat().slice(0, most);
}

const beginsWith = (word: string) => (one: string) => one.startsWith(word);

const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

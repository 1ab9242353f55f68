/**
 * Reads a list whole. When an item is removed from a part that has been read, those after it may move up, and the next
 * answer would leave one out, which would then count as deleted. Notion does not say whether its cursors prevent this. So
 * the earlier answers of a list are asked for once more, and a list that has changed is read again.
 */
import { SourceError } from '../../errors.ts';

/** A list that still changes after so many reads cannot be read now. */
const MAX_READS = 3;

/** The list changes faster than it can be read. */
export class Unsteady extends SourceError {}

type Answers<Item> = AsyncIterable<{ readonly page: readonly Item[] }>;

/**
 * `list` asks for the list from its beginning, and `keyOf` tells items apart. `count` gets the items of each answer, and
 * whether the answer is the first one of a read; what it throws ends the reading. Throws Unsteady.
 */
export async function wholeList<Item>(
  list: () => Answers<Item>,
  keyOf: (item: Item) => string,
  count: (items: readonly Item[], isFirst: boolean) => void = () => {},
): Promise<Item[]> {
  for (let reads = 0; reads < MAX_READS; reads++) {
    const answers: (readonly Item[])[] = [];
    for await (const { page } of list()) {
      count(page, answers.length === 0);
      answers.push(page);
    }
    const earlier = answers.slice(0, -1).flatMap((page) => page.map(keyOf));
    if (await beginsWith(list, keyOf, earlier)) return answers.flat();
  }
  throw new Unsteady('skip', 'The list changes while it is read. The next sync reads it again.');
}

async function beginsWith<Item>(
  list: () => Answers<Item>,
  keyOf: (item: Item) => string,
  keys: readonly string[],
): Promise<boolean> {
  if (keys.length === 0) return true;
  let at = 0;
  for await (const { page } of list()) {
    for (const item of page) {
      if (keyOf(item) !== keys[at]) return false;
      if (++at === keys.length) return true;
    }
  }
  return false;
}

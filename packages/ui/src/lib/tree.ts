/** Puts the pages of a level of the tree together: a later page may have more records of a branch. */
import type { Schemas } from '../api/client.ts';

interface Branch {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly records: number;
}

interface LevelPage {
  readonly path: readonly { readonly id: string; readonly name: string }[];
  readonly branches: readonly Branch[];
  readonly items: readonly Schemas['ContentItem'][];
}

/** Branches come by their names, and records in the order of the service. */
export function wholeLevel(pages: readonly LevelPage[]): LevelPage {
  const branches = new Map<string, Branch>();
  for (const branch of pages.flatMap((page) => page.branches)) {
    const known = branches.get(branch.id);
    branches.set(branch.id, { ...branch, records: branch.records + (known?.records ?? 0) });
  }
  return {
    // A page without a record of this level does not know the way to it.
    path: pages.find(({ path }) => path.length > 0)?.path ?? [],
    branches: [...branches.values()].toSorted((a, b) =>
      a.name.localeCompare(b.name, 'en', { numeric: true }),
    ),
    items: pages.flatMap((page) => page.items),
  };
}

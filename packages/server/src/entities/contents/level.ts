/**
 * A level of the tree of a connection: what is directly below one breadcrumb, or at the root. The breadcrumbs of a
 * record are the way from the root to it, so a level is found by looking at records alone.
 */
import type { Breadcrumb } from '../../model/entity.ts';
import { toItem } from './item.ts';
import type { ContentItem, TreeAnswer } from './schema.ts';
import type { ContentEntityRow } from './store.ts';

/** Returns the position of a breadcrumb, or undefined when it is not among them. */
export function placeOf(breadcrumbs: readonly Breadcrumb[], id: string): number | undefined {
  const place = breadcrumbs.findIndex((breadcrumb) => breadcrumb.id === id);
  return place === -1 ? undefined : place;
}

export function createLevel(below: string | undefined) {
  const branches = new Map<string, Breadcrumb & { records: number }>();
  const items: ContentItem[] = [];
  let path: readonly Breadcrumb[] = [];
  return {
    /** Records elsewhere are left out. */
    add(row: ContentEntityRow): void {
      const place = below === undefined ? -1 : placeOf(row.breadcrumbs, below);
      if (place === undefined) return;
      path = row.breadcrumbs.slice(0, place + 1);
      const branch = row.breadcrumbs[place + 1];
      if (!branch) {
        items.push(toItem(row));
        return;
      }
      const known = branches.get(branch.id);
      if (known) known.records++;
      else branches.set(branch.id, { ...branch, records: 1 });
    },
    size: (): number => branches.size + items.length,
    found: (): Omit<TreeAnswer, 'next'> => ({
      path: path.map(toCrumb),
      branches: [...branches.values()].map(({ records, ...branch }) => ({
        ...toCrumb(branch),
        records,
      })),
      items,
    }),
  };
}

const toCrumb = ({ id, name, type }: Breadcrumb) => ({ id, name, type });

/**
 * Lists the help center whole: its collections, and stubs of its articles. The service only counts the pages of both
 * lists, and orders them by their changes.
 */
import type { z } from 'zod';
import { type SourceItem, stub } from '../items.ts';
import { counted } from '../kit/counted.ts';
import { openFolders } from '../kit/folders.ts';
import type { Http } from '../kit/http.ts';
import { IntercomCollection, ListedArticle, listOf } from './answers.ts';
import { articleId, collectionId, itemOf, toCollection } from './records.ts';
import { apiOf, type Region } from './regions.ts';

export const HELP_CENTER = 'help-center';
const PER_PAGE = 50;

export async function* helpCenterOf(
  http: Http,
  of: {
    readonly region: Region;
    readonly names: ReadonlyMap<string, string>;
    isAgain(at: number): boolean;
  },
): AsyncGenerator<SourceItem, void, void> {
  const list = <Item extends { readonly id: string; readonly updated_at: number }>(
    path: string,
    item: z.ZodType<Item>,
  ) =>
    counted(
      async (index) => {
        const page = index + 1;
        const { value } = await http.json(
          { path: `${apiOf(of.region)}/${path}`, query: { page, per_page: PER_PAGE } },
          listOf(item),
        );
        const { data, total_count: total } = value;
        const count = value.pages?.total_pages;
        // The number of pages may be wrong, which a full page shows when the list has more items.
        const hasMore = data.length >= PER_PAGE && (total ?? Infinity) > page * PER_PAGE;
        return { items: data, ...(count != null && { isLast: page >= count && !hasMore }) };
      },
      ({ id, updated_at }) => `${id} ${updated_at}`,
    );

  const collections = await list('help_center/collections', IntercomCollection);
  const folders = openFolders('IntercomCollection', async () => null);
  for (const { id, name, parent_id } of collections)
    folders.note(collectionId(id), { name, parent: parentOf(parent_id) });
  for (const collection of collections) {
    const breadcrumbs = await folders.above(parentOf(collection.parent_id));
    yield itemOf(
      { id: collectionId(collection.id), type: 'IntercomCollection', partition: HELP_CENTER },
      () => toCollection(collection, breadcrumbs),
    );
  }
  for (const { id, updated_at, state, parent_id, author_id } of await list(
    'articles',
    ListedArticle,
  )) {
    const breadcrumbs = await folders.above(parentOf(parent_id));
    const author = of.names.get(author_id ?? '') ?? null;
    yield stub(articleId(id), 'IntercomArticle', {
      version: JSON.stringify([
        updated_at,
        state,
        author,
        ...breadcrumbs.map(({ id, name }) => [id, name]),
      ]),
      partition: HELP_CENTER,
      carry: { id, breadcrumbs, author },
      isAgain: of.isAgain(updated_at),
    });
  }
}

const parentOf = (id: string | null) => (id === null ? undefined : collectionId(id));

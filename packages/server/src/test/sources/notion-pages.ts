/** Answers with pages of Notion and their properties. */
import type { NotionFileRef } from './notion-content.ts';
import { inOrder, type makeNotionPager, type NotionRow, refuse } from './notion-paging.ts';
import type { NotionSettings } from './notion-settings.ts';
import type { makeNotionShapes } from './notion-shapes.ts';
import type { NotionNode, NotionWorld } from './notion-world.ts';

/** A property of a page shows at most this many references. */
const MOST_REFERENCES = 25;

/** Answers are made of these. */
export interface NotionParts {
  readonly world: NotionWorld;
  readonly settings: NotionSettings;
  readonly show: ReturnType<typeof makeNotionShapes>;
  readonly pager: ReturnType<typeof makeNotionPager>;
  /** Makes a new address of the file. */
  readonly fileOf: (id: string) => NotionFileRef;
  /** These properties show only some of their references. */
  readonly cut: WeakSet<object>;
}

export function makeNotionPages({ show, pager, fileOf, cut }: NotionParts) {
  /** Properties of a page show at most 25 references, and a request of their own lists the others. */
  function pageOf(node: NotionNode, filter: readonly string[] = []): NotionRow {
    const shown = show.page(node, fileOf);
    const properties = Object.entries(shown.properties as NotionRow)
      .filter(
        ([name, { id }]) => filter.length === 0 || filter.includes(id) || filter.includes(name),
      )
      .map(([name, value]): [string, NotionRow] => {
        const list = value[value.type];
        if (!Array.isArray(list) || list.length <= MOST_REFERENCES) return [name, value];
        const shorter = { ...value, [value.type]: list.slice(0, MOST_REFERENCES) };
        cut.add(shorter);
        return [name, shorter];
      });
    return { ...shown, properties: Object.fromEntries(properties) };
  }

  function propertyOf(node: NotionNode, propertyId: string, request: NotionRow): NotionRow {
    const all: NotionRow[] = Object.values(show.page(node, fileOf).properties);
    const value = all.find(({ id }) => decodeURIComponent(id) === propertyId);
    if (!value)
      return refuse(404, 'object_not_found', `Could not find property with ID: ${propertyId}.`);
    const { id, type } = value;
    const items: unknown = type === 'rollup' ? value.rollup.array : value[type];
    if (
      !['title', 'rich_text', 'relation', 'people'].includes(type) &&
      !Array.isArray(value.rollup?.array)
    )
      return { object: 'property_item', ...value };
    const rows = (items as unknown[]).map((one) => ({
      object: 'property_item',
      id,
      type,
      [type]: one,
    }));
    const listed = pager.page(`${node.id} ${id}`, request, inOrder(rows));
    return {
      ...listed,
      type: 'property_item',
      property_item: { id, type, next_url: null, [type]: {} },
    };
  }

  return { pageOf, propertyOf };
}

/** Answers searches of Notion, and queries of its data sources. */
import type { makeNotionPages, NotionParts } from './notion-pages.ts';
import { invalid, type NotionRow, timePlace } from './notion-paging.ts';
import { shownTime } from './notion-shapes.ts';
import type { NotionNode } from './notion-world.ts';

type PagesOfNotion = Pick<ReturnType<typeof makeNotionPages>, 'pageOf'>;

export function makeNotionQueries(
  { world, settings, show, pager }: NotionParts,
  { pageOf }: PagesOfNotion,
) {
  const { nodes, isVisible, isTrashed } = world;
  const { page } = pager;

  function search({ query = '', sort, filter, ...paging }: NotionRow): NotionRow {
    if (filter && filter.property !== 'object')
      invalid('body failed validation: body.filter.property should be `"object"`.');
    if (sort && (sort.timestamp !== 'last_edited_time' || !/^(a|de)scending$/.test(sort.direction)))
      invalid('body failed validation: body.sort.timestamp should be `"last_edited_time"`.');
    const direction = sort?.direction ?? 'descending';
    const found = [...nodes.values()].filter(
      (node) =>
        (node.kind === 'page' || node.kind === 'data_source') &&
        (!filter || filter.value === node.kind) &&
        isVisible(node) &&
        !isTrashed(node) &&
        !settings.unindexed.has(node.id) &&
        node.title.toLowerCase().includes(query.toLowerCase()),
    );
    const entries = found.map((node) => ({
      place: timePlace(node.editedAt, node.id, direction),
      shown: () => (node.kind === 'page' ? pageOf(node) : show.dataSource(node)),
    }));
    const listed = page(`search ${query} ${direction} ${filter?.value}`, paging, entries);
    return { ...listed, type: 'page_or_data_source', page_or_data_source: {} };
  }

  function queryOf(
    source: NotionNode,
    { filter, sorts = [], archived, in_trash, ...paging }: NotionRow,
    only: string[],
  ): NotionRow {
    const [sort = { timestamp: 'created_time', direction: 'ascending' }] = sorts;
    const timeOf = (node: NotionNode, timestamp: string) => {
      if (timestamp === 'created_time') return node.createdAt;
      if (timestamp === 'last_edited_time') return node.editedAt;
      throw new Error(
        `the fake of Notion sorts and filters only by times, and not by ${timestamp}`,
      );
    };
    const wantsTrash = Boolean(in_trash ?? archived);
    const found = world
      .childrenOf(source.id)
      .filter((node) => isVisible(node) && isTrashed(node) === wantsTrash && fits(filter, node));
    const entries = found.map((node) => ({
      place: timePlace(timeOf(node, sort.timestamp), node.id, sort.direction),
      shown: () => pageOf(node, only),
    }));
    const places = entries.toSorted((one, other) => (one.place < other.place ? -1 : 1));
    const isCut = places.length > settings.queryLimit;
    const listed = page(
      `query ${source.id} ${JSON.stringify([filter, sorts, wantsTrash])}`,
      paging,
      places.slice(0, settings.queryLimit),
    );
    const isIncomplete = isCut && listed.has_more === false;
    return {
      ...listed,
      type: 'page_or_data_source',
      page_or_data_source: {},
      request_status: isIncomplete
        ? { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' }
        : { type: 'complete' },
    };

    function fits(one: NotionRow | undefined, node: NotionNode): boolean {
      if (!one) return true;
      if (one.and) return one.and.every((each: NotionRow) => fits(each, node));
      if (one.or) return one.or.some((each: NotionRow) => fits(each, node));
      const at = Date.parse(shownTime(timeOf(node, one.timestamp)));
      return Object.entries(one[one.timestamp] as NotionRow).every(([how, text]) => {
        const given = Date.parse(text);
        if (Number.isNaN(given))
          invalid('body failed validation: the filter should have a valid ISO 8601 date.');
        const holds = {
          equals: at === given,
          before: at < given,
          after: at > given,
          on_or_before: at <= given,
          on_or_after: at >= given,
        }[how];
        if (holds === undefined) throw new Error(`the fake of Notion has no filter ${how}`);
        return holds;
      });
    }
  }

  return { search, queryOf };
}

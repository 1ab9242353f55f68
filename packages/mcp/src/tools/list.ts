/** The tool `list` lists the records of a collection without a search. */
import { z } from 'zod';
import { howManyFit } from '../budget.ts';
import {
  briefItem,
  DATA_NOTE,
  FRAME_TOKENS,
  headline,
  ListFilter,
  next,
  queryOf,
  RecordItem,
} from './item.ts';
import { linkJson, linksTo, withoutMissing } from './links.ts';
import { collectionPath, defineTool } from './tool.ts';

const Page = z.object({ items: z.array(RecordItem), next });

export const listTool = defineTool({
  name: 'list',
  title: 'List records',
  description:
    'List the records of the collection, in a fixed order, with names, types and ids. For the text of a record, call the tool `read` with its id. To find records by their content, use the search tool.',
  input: z.object({
    name: z.string().optional().describe('A part of the name. Upper and lower case do not matter.'),
    ...ListFilter,
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of records.'),
  }),
  output: Page,
  async run(args, { api, collection, signal, maxTokens }) {
    const requestPage = async (limit: number) => {
      const path = `${collectionPath(collection)}/contents/list${queryOf({ ...args, limit })}`;
      const { items, next } = Page.parse(await api({ method: 'GET', path }, signal));
      return { items: items.map(briefItem), next };
    };
    const fullPage = await requestPage(args.limit);
    const room = maxTokens - FRAME_TOKENS;
    const links = linksTo(fullPage.items);
    const fittingCount = Math.min(
      howManyFit(
        fullPage.items.map((item) => JSON.stringify(item)),
        room,
      ),
      howManyFit(
        fullPage.items.map((item, i) => `- ${headline(item)}\n${linkJson(links[i])}`),
        room,
      ),
    );
    // Only the API knows the position after a shorter page, so a shorter page is requested.
    const { items, next } =
      fittingCount < fullPage.items.length ? await requestPage(fittingCount) : fullPage;
    const text = [
      items.length === 0 ? '' : DATA_NOTE,
      ...items.map((item) => `- ${headline(item)}`),
      items.length === 0 && next === null ? 'No record matches.' : '',
      next === null ? '' : `showing ${items.length}, call again with after=${next}`,
    ];
    return {
      text: text.filter(Boolean).join('\n'),
      data: { items, next },
      links: withoutMissing(linksTo(items)),
    };
  },
});

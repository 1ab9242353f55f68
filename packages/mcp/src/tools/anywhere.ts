/** These tools act on one collection, and their caller has several to choose from. */
import { z } from 'zod';
import { ApiError } from '../api.ts';
import { type PlacedTool, placed } from '../toolbox.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { type ReachableCollection, reachOf } from './reach.ts';
import { fetchTool, readTool } from './read.ts';
import { BRIEF_LIMIT, briefSearch, briefSearchTool } from './search.ts';
import type { Tool } from './tool.ts';

const collection = z.string().describe('The collection, as get-config names it.');

/** The shapes are made once, because their schemas are cached by identity. */
const CHOOSING = [readTool, grepTool, listTool].map((tool) => ({
  tool: tool as Tool,
  input: tool.input.extend({ collection }),
}));

/** The tools `read`, `grep` and `list` get one more argument, which names the collection. */
export const withCollection = (reaches: readonly ReachableCollection[]): PlacedTool[] =>
  CHOOSING.map(({ tool, input }) => ({
    ...tool,
    input,
    run(args: { collection: string }, call) {
      const { collection: handle, ...rest } = args;
      return placed(tool, reachOf(reaches, handle)).run(rest as never, call);
    },
  }));

/** An answer about more collections would not come in time. */
const MOST = 50;
const AT_ONCE = 5;

/**
 * The tool `search` asks all collections and gives the best results by score, since scores mean the same
 * everywhere.
 */
export function searchEverywhere(reaches: readonly ReachableCollection[]): PlacedTool {
  const asked = reaches.slice(0, MOST);
  const rest =
    reaches.length > MOST
      ? `It asks the first ${MOST} of your ${reaches.length} collections: for another use its own search tool.`
      : '';
  return {
    ...briefSearchTool(`In all collections together. ${rest}`),
    async run({ query }: { query: string }, call) {
      const found = [];
      for (let start = 0; start < asked.length; start += AT_ONCE) {
        const some = asked.slice(start, start + AT_ONCE).map(async (reach) => {
          const results = await briefSearch(query, { ...call, ...reach });
          return results.map((result) => ({ ...result, id: `${reach.handle}/${result.id}` }));
        });
        found.push(...(await Promise.all(some)).flat());
      }
      const best = found.toSorted((a, b) => b.score - a.score).slice(0, BRIEF_LIMIT);
      const data = { results: best.map(({ id, title, url }) => ({ id, title, url })) };
      return { text: JSON.stringify(data), data };
    },
  };
}

/** The tool `fetch` takes an id that begins with the collection. */
export const fetchAnywhere = (reaches: readonly ReachableCollection[]): PlacedTool => ({
  ...fetchTool,
  async run({ id }: { id: string }, call) {
    const [handle = '', ...rest] = id.split('/');
    if (rest.length === 0)
      throw new ApiError(
        404,
        `'${id}' is not an id of search: those have the form collection/record`,
      );
    const tool = placed(fetchTool, reachOf(reaches, handle));
    const { data } = await tool.run({ id: rest.join('/') } as never, call);
    const whole = { ...data, id };
    return { text: JSON.stringify(whole), data: whole };
  },
});

/** These are the tools of a caller who reaches several collections. */
import { z } from 'zod';
import { ApiError } from '../api.ts';
import { type BoundTool, bindTool } from '../toolbox.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { findReachable, type ReachableCollection } from './reachable.ts';
import { fetchTool, readTool } from './read.ts';
import { SHORT_FORM_LIMIT, searchInShortForm, shortFormTool } from './search.ts';
import type { Tool } from './tool.ts';

const collection = z.string().describe('The collection, as get-config names it.');

/**
 * The input schemas are made only once, because tool.ts caches their JSON Schemas by the identity of the zod object.
 */
const WITH_COLLECTION = [readTool, grepTool, listTool].map((tool) => ({
  tool: tool as Tool,
  input: tool.input.extend({ collection }),
}));

/** Returns the tools `read`, `grep` and `list` with one more argument, which names the collection. */
export const withCollection = (reachable: readonly ReachableCollection[]): BoundTool[] =>
  WITH_COLLECTION.map(({ tool, input }) => ({
    ...tool,
    input,
    run(args: { collection: string }, call) {
      const { collection: handle, ...rest } = args;
      return bindTool(tool, findReachable(reachable, handle)).run(rest as never, call);
    },
  }));

/** `search` asks at most this many collections, because an answer from more would take too long. */
const MAX_COLLECTIONS = 50;
const AT_ONCE = 5;

/**
 * Returns the tool `search`, which asks all collections and returns the results with the highest scores. Scores of
 * different collections can be compared.
 */
export function searchEverywhere(reachable: readonly ReachableCollection[]): BoundTool {
  const asked = reachable.slice(0, MAX_COLLECTIONS);
  const rest =
    reachable.length > MAX_COLLECTIONS
      ? `It asks the first ${MAX_COLLECTIONS} of your ${reachable.length} collections: for another use its own search tool.`
      : '';
  return {
    ...shortFormTool(`In all collections together. ${rest}`),
    async run({ query }: { query: string }, call) {
      const found = [];
      for (let start = 0; start < asked.length; start += AT_ONCE) {
        const some = asked.slice(start, start + AT_ONCE).map(async (target) => {
          const results = await searchInShortForm(query, { ...call, ...target });
          return results.map((result) => ({ ...result, id: `${target.handle}/${result.id}` }));
        });
        found.push(...(await Promise.all(some)).flat());
      }
      const best = found.toSorted((a, b) => b.score - a.score).slice(0, SHORT_FORM_LIMIT);
      const data = { results: best.map(({ id, title, url }) => ({ id, title, url })) };
      return { text: JSON.stringify(data), data };
    },
  };
}

/** Returns the tool `fetch`, whose ids begin with the name of the collection. */
export const fetchAnywhere = (reachable: readonly ReachableCollection[]): BoundTool => ({
  ...fetchTool,
  async run({ id }: { id: string }, call) {
    const [handle = '', ...rest] = id.split('/');
    if (rest.length === 0)
      throw new ApiError(
        404,
        `'${id}' is not an id of search: those have the form collection/record`,
      );
    const tool = bindTool(fetchTool, findReachable(reachable, handle));
    const { data } = await tool.run({ id: rest.join('/') } as never, call);
    const whole = { ...data, id };
    return { text: JSON.stringify(whole), data: whole };
  },
});

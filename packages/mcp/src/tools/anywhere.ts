/** These are the tools of a caller who reaches several collections. */
import { z } from 'zod';
import { ApiError } from '../api.ts';
import { type BoundTool, bindTool } from '../toolbox.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { findReachable, type ReachableCollection } from './reachable.ts';
import { fetchTool, readTool } from './read.ts';
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

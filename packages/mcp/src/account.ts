/**
 * These are the tools of an account with several collections or with none. Each collection has a search tool of its
 * own. The other tools get one more argument, which names the collection.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { brief } from './brief.ts';
import { describe } from './facts.ts';
import { searchToolName } from './names.ts';
import { type BoundTool, bound, type Toolbox, type ToolPage } from './toolbox.ts';
import { fetchAnywhere, searchEverywhere, withCollection } from './tools/anywhere.ts';
import { overviewTool } from './tools/overview.ts';
import type { ReachableCollection } from './tools/reach.ts';
import { searchTool } from './tools/search.ts';

/**
 * A page of the list has this many search tools. Each tool needs a request to the API for the contents of its
 * collection; only a few of these requests run at the same time.
 */
const TOOLS_PER_PAGE = 100;
const AT_ONCE = 10;

export function accountTools(
  reaches: readonly ReachableCollection[],
  config: { readonly version: string; readonly address: string },
): Toolbox {
  const overview = overviewTool({ ...config, reaches });
  const general: BoundTool[] =
    reaches.length === 0
      ? [overview]
      : [searchEverywhere(reaches), fetchAnywhere(reaches), ...withCollection(reaches), overview];

  const searchIn = (reach: ReachableCollection, about: string) =>
    bound(searchTool(reach.handle, about), reach);

  async function searches(
    some: readonly ReachableCollection[],
    signal: AbortSignal,
  ): Promise<BoundTool[]> {
    const tools: BoundTool[] = [];
    for (let start = 0; start < some.length; start += AT_ONCE) {
      const described = some
        .slice(start, start + AT_ONCE)
        .map(async (reach) => searchIn(reach, await describe(reach.api, reach.collection, signal)));
      tools.push(...(await Promise.all(described)));
    }
    return tools;
  }

  return {
    instructions: `Quarry searches what was copied from apps and databases into collections, of which you reach ${reaches.length}; get-config lists them. Everything here only reads.`,

    async list(cursor, signal): Promise<ToolPage> {
      const start = Number(cursor ?? 0);
      if (!Number.isInteger(start) || start < 0 || (start > 0 && start >= reaches.length))
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          brief(`'${cursor}' is not a cursor of this list: begin it again without one`),
        );
      const end = start + TOOLS_PER_PAGE;
      const tools = await searches(reaches.slice(start, end), signal);
      return {
        tools: start === 0 ? [...general, ...tools] : tools,
        ...(end < reaches.length && { next: String(end) }),
      };
    },

    find(name) {
      const tool = general.find((one) => one.name === name);
      if (tool) return tool;
      const reach = reaches.find(({ handle }) => searchToolName(handle) === name);
      return reach && searchIn(reach, '');
    },
  };
}

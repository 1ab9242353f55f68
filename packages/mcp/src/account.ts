/**
 * These are the tools of an account with several collections or with none. Each collection has a search tool of its
 * own. `search` searches all of them, and `read`, `grep` and `list` get one more argument, which names the collection.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { brief } from './brief.ts';
import { describe } from './facts.ts';
import { searchToolName } from './names.ts';
import { type BoundTool, bindTool, type Toolbox, type ToolPage } from './toolbox.ts';
import { fetchAnywhere, searchEverywhere, withCollection } from './tools/anywhere.ts';
import { overviewTool } from './tools/overview.ts';
import type { ReachableCollection } from './tools/reachable.ts';
import { searchTool } from './tools/search.ts';

/** A page of `tools/list` has at most this many search tools. */
const TOOLS_PER_PAGE = 100;
/** The description of each search tool needs a request to the API; at most this many run at the same time. */
const AT_ONCE = 10;

export function accountTools(
  reachable: readonly ReachableCollection[],
  config: { readonly version: string; readonly address: string },
): Toolbox {
  const overview = overviewTool({ ...config, reachable });
  const general: BoundTool[] =
    reachable.length === 0
      ? [overview]
      : [
          searchEverywhere(reachable),
          fetchAnywhere(reachable),
          ...withCollection(reachable),
          overview,
        ];

  const searchIn = (target: ReachableCollection, about: string) =>
    bindTool(searchTool(target.handle, about), target);

  async function searches(
    some: readonly ReachableCollection[],
    signal: AbortSignal,
  ): Promise<BoundTool[]> {
    const tools: BoundTool[] = [];
    for (let start = 0; start < some.length; start += AT_ONCE) {
      const described = some
        .slice(start, start + AT_ONCE)
        .map(async (target) =>
          searchIn(target, await describe(target.api, target.collection, signal)),
        );
      tools.push(...(await Promise.all(described)));
    }
    return tools;
  }

  return {
    instructions: `Quarry searches what was copied from apps and databases into collections, of which you reach ${reachable.length}; get-config lists them. Everything here only reads.`,

    async list(cursor, signal): Promise<ToolPage> {
      const start = Number(cursor ?? 0);
      if (!Number.isInteger(start) || start < 0 || (start > 0 && start >= reachable.length))
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          brief(`'${cursor}' is not a cursor of this list: begin it again without one`),
        );
      const end = start + TOOLS_PER_PAGE;
      const tools = await searches(reachable.slice(start, end), signal);
      return {
        tools: start === 0 ? [...general, ...tools] : tools,
        ...(end < reachable.length && { next: String(end) }),
      };
    },

    find(name) {
      const tool = general.find((one) => one.name === name);
      if (tool) return tool;
      const target = reachable.find(({ handle }) => searchToolName(handle) === name);
      return target && searchIn(target, '');
    },
  };
}

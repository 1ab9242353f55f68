/**
 * These are the tools of a caller who reaches several collections or none. Each collection has a search tool of its
 * own. `search` searches all of them together, and `read`, `grep` and `list` get one more argument, which names the
 * collection.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { brief } from './brief.ts';
import { describe } from './facts.ts';
import { searchToolName } from './names.ts';
import { type BoundTool, bindTool, type Toolbox, type ToolPage } from './toolbox.ts';
import { fetchAnywhere, withCollection } from './tools/anywhere.ts';
import type { Mode } from './tools/config.ts';
import { DATA_NOTE } from './tools/item.ts';
import { overviewTool } from './tools/overview.ts';
import type { ReachableCollection } from './tools/reachable.ts';
import { searchTool } from './tools/search.ts';
import { searchEverywhere } from './tools/search-everywhere.ts';

/** A page of `tools/list` has at most this many search tools. */
const TOOLS_PER_PAGE = 100;
/** The description of each search tool needs a request to the API; at most this many run at the same time. */
const AT_ONCE = 10;

/** They are the same for any number of collections, because a session goes on when the number changes. */
export const ACCOUNT_INSTRUCTIONS = `Quarry searches what was copied from apps and databases into collections. \`search\` searches all that you reach; get-config lists them. Everything here only reads. ${DATA_NOTE}`;

export function accountTools(
  reachable: readonly ReachableCollection[],
  config: { readonly version: string; readonly mode: Mode; readonly address: string },
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
    instructions: ACCOUNT_INSTRUCTIONS,

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

    async find(name) {
      const tool = general.find((one) => one.name === name);
      if (tool) return tool;
      const target = reachable.find(({ handle }) => searchToolName(handle) === name);
      return target && searchIn(target, '');
    },
  };
}

/**
 * This is the tool server of one collection, or of the collections of an account. Its tools are the same in every
 * mode and for every revision of the protocol.
 *
 * A call that fails gives a result that says what went wrong and what to do, because the model reads results. Only
 * an unknown tool is an error of the protocol.
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { accountTools } from './account.ts';
import { type Api, ApiError } from './api.ts';
import { brief } from './brief.ts';
import { describe } from './facts.ts';
import { withProgress } from './progress.ts';
import { type PlacedTool, placed, type Toolbox, type ToolCall } from './toolbox.ts';
import { configTool, type Mode } from './tools/config.ts';
import { grepTool } from './tools/grep.ts';
import { listTool } from './tools/list.ts';
import type { ReachableCollection } from './tools/reach.ts';
import { fetchTool, readTool } from './tools/read.ts';
import { briefSearchTool, searchTool } from './tools/search.ts';
import { failure, listed, success } from './tools/tool.ts';

export const VERSION = '0.5.7';
/** This is the first revision that has links to resources. */
const WITH_LINKS = '2025-06-18';

export type { ReachableCollection } from './tools/reach.ts';

/** The tools act on this collection, through this API. */
export interface ToolServerContext {
  readonly api: Api;
  /** The collection is named by its readable_id. */
  readonly collection: string;
  readonly mode: Mode;
  /** People find the API at this address. */
  readonly address: string;
  /** An answer may take this many tokens, at least LEAST_TOKENS. */
  readonly maxTokens: number;
  /** Tells the operator about a fault. */
  readonly say: (text: string) => void;
}

/** The account of a person reaches these collections. */
export interface AccountPlace extends Pick<ToolServerContext, 'address' | 'maxTokens' | 'say'> {
  readonly reaches: readonly ReachableCollection[];
}

/** One instance serves one connection, or one request. */
export const createToolServer = (place: ToolServerContext): Server => serve(toolsOf(place), place);

/** A person with a single collection gets the same tools as with a key. */
export function createAccountServer({ reaches, ...place }: AccountPlace): Server {
  const [reach, ...others] = reaches;
  if (reach && others.length === 0) return createToolServer({ ...reach, ...place, mode: 'hosted' });
  return serve(accountTools(reaches, { version: VERSION, address: place.address }), place);
}

function toolsOf({ api, collection, mode, address }: ToolServerContext): Toolbox {
  const tools = (about: string): PlacedTool[] =>
    [
      searchTool(collection, about),
      briefSearchTool(about),
      fetchTool,
      readTool,
      grepTool,
      listTool,
      configTool({ version: VERSION, mode, address }),
    ].map((tool) => placed(tool, { api, collection }));
  return {
    instructions: `Quarry searches what was copied from apps and databases into the collection '${collection}'. Everything here only reads.`,
    list: async (_cursor, signal) => ({ tools: tools(await describe(api, collection, signal)) }),
    find: (wanted) => tools('').find(({ name }) => name === wanted),
  };
}

function serve(
  toolbox: Toolbox,
  { maxTokens, say }: Pick<ToolServerContext, 'maxTokens' | 'say'>,
): Server {
  const server = new Server(
    { name: 'quarry', title: 'Quarry', version: VERSION },
    { capabilities: { tools: {} }, instructions: toolbox.instructions },
  );

  server.setRequestHandler('tools/list', async ({ params }, { mcpReq }) => {
    const { tools, next } = await toolbox.list(params?.cursor, mcpReq.signal);
    return { tools: tools.map(listed), ...(next !== undefined && { nextCursor: next }) };
  });

  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = toolbox.find(params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        brief(`tool '${params.name}' does not exist: tools/list names the existing ones`),
      );
    const args = tool.input.safeParse(params.arguments ?? {});
    if (!args.success) return failure(`Invalid arguments. ${faults(args.error)}`);
    const { signal } = ctx.mcpReq;
    return withProgress(ctx, { what: tool.title, say }, () =>
      call(tool, args.data, { signal, maxTokens, withLinks: knowsLinks(ctx) }),
    );
  });

  /** A request over HTTP names its revision, and a request without one comes from an older client. */
  function knowsLinks({ http }: ServerContext): boolean {
    const agreed = http
      ? http.req?.headers.get('mcp-protocol-version')
      : server.getNegotiatedProtocolVersion();
    return (agreed ?? '') >= WITH_LINKS;
  }

  async function call(
    tool: PlacedTool,
    args: unknown,
    { withLinks, ...at }: ToolCall & { readonly withLinks: boolean },
  ): Promise<CallToolResult> {
    try {
      return success(await tool.run(args as never, at), withLinks);
    } catch (error) {
      if (error instanceof ApiError) return failure(error.message);
      if (at.signal.aborted) throw error;
      say(`${tool.name} failed: ${(error as Error).stack}`);
      return failure(`${tool.name} failed because of an internal error: try the same call again`);
    }
  }

  return server;
}

const faults = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

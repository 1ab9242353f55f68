/**
 * This is the tool server of one collection, or of the collections of an account. Its tools are the same in every mode
 * and for every revision of the protocol.
 *
 * A failed call returns a result that says what went wrong and what to do, because the model reads results but not
 * errors of the protocol. Only an unknown tool is an error of the protocol.
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { ACCOUNT_INSTRUCTIONS, accountTools } from './account.ts';
import { type Api, ApiError } from './api.ts';
import { brief } from './brief.ts';
import { describe } from './facts.ts';
import { withProgress } from './progress.ts';
import { type BoundTool, bindTool, type Toolbox, type ToolCall } from './toolbox.ts';
import { configTool, type Mode } from './tools/config.ts';
import { grepTool } from './tools/grep.ts';
import { DATA_NOTE } from './tools/item.ts';
import { listTool } from './tools/list.ts';
import type { ReachableCollection } from './tools/reachable.ts';
import { fetchTool, readTool } from './tools/read.ts';
import { searchTool, shortFormTool } from './tools/search.ts';
import { failure, listed, success } from './tools/tool.ts';
import { unknownArgument } from './unknown-arguments.ts';

export const VERSION = '0.5.7';
/** This is the first revision of the protocol with links to resources. */
const FIRST_WITH_LINKS = '2025-06-18';

export type { ReachableCollection } from './tools/reachable.ts';

/** This is what the tools of one collection need. */
export interface ToolServerContext {
  readonly api: Api;
  /** This is the readable_id of the collection. */
  readonly collection: string;
  readonly mode: Mode;
  /** This is the address of the API; `get-config` shows it. */
  readonly address: string;
  /** An answer has at most this many tokens; the value must be at least MIN_TOKENS. */
  readonly maxTokens: number;
  /** Writes an error into the log. */
  readonly say: (text: string) => void;
}

/** This is what the tools of a caller need who has named no collection. */
export interface AccountServerContext
  extends Pick<ToolServerContext, 'mode' | 'address' | 'maxTokens' | 'say'> {
  /** Returns the collections that the caller reaches now, in the order of their handles. */
  readonly reach: (signal: AbortSignal) => Promise<readonly ReachableCollection[]>;
}

/** Makes the server for one connection or one request. */
export const createToolServer = (context: ToolServerContext): Server =>
  serve(toolsOf(context), context);

/**
 * Makes the server of a caller who has named no collection. A caller who reaches a single one gets the same tools as one
 * who has named it.
 */
export function createAccountServer({ reach, ...context }: AccountServerContext): Server {
  const { mode, address } = context;
  const toolbox = async (signal: AbortSignal): Promise<Toolbox> => {
    const reachable = await reach(signal);
    const [only, ...others] = reachable;
    return only && others.length === 0
      ? toolsOf({ ...only, ...context })
      : accountTools(reachable, { version: VERSION, mode, address });
  };
  const lazy: Toolbox = {
    instructions: ACCOUNT_INSTRUCTIONS,
    list: async (cursor, signal) => (await toolbox(signal)).list(cursor, signal),
    find: async (name, signal) => (await toolbox(signal)).find(name, signal),
  };
  return serve(lazy, context);
}

function toolsOf({ api, collection, mode, address }: ToolServerContext): Toolbox {
  const tools = (about: string): BoundTool[] =>
    [
      searchTool(collection, about),
      shortFormTool(about),
      fetchTool,
      readTool,
      grepTool,
      listTool,
      configTool({ version: VERSION, mode, address }),
    ].map((tool) => bindTool(tool, { api, collection }));
  return {
    instructions: `Quarry searches what was copied from apps and databases into the collection '${collection}'. Everything here only reads. ${DATA_NOTE}`,
    list: async (_cursor, signal) => ({ tools: tools(await describe(api, collection, signal)) }),
    find: async (wanted) => tools('').find(({ name }) => name === wanted),
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
    const { signal } = ctx.mcpReq;
    const tool = await found(params.name, signal);
    if (tool instanceof ApiError) return failure(tool.message);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        brief(`tool '${params.name}' does not exist: tools/list names the existing ones`),
      );
    const given = params.arguments ?? {};
    const unknown = unknownArgument(tool.input, given);
    if (unknown !== undefined) return failure(`Invalid arguments. ${unknown}`);
    const args = tool.input.safeParse(given);
    if (!args.success) return failure(`Invalid arguments. ${faults(args.error)}`);
    return withProgress(ctx, { what: tool.title, say }, () =>
      call(tool, args.data, { signal, maxTokens, withLinks: knowsLinks(ctx) }),
    );
  });

  /** Returns the error of the API when it does not say which collections the caller reaches. */
  const found = (name: string, signal: AbortSignal): Promise<BoundTool | undefined | ApiError> =>
    toolbox.find(name, signal).catch((error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    });

  /**
   * Returns true when the client's revision has links. A request over HTTP without a revision comes from an older
   * client.
   */
  function knowsLinks({ http }: ServerContext): boolean {
    const agreed = http
      ? http.req?.headers.get('mcp-protocol-version')
      : server.getNegotiatedProtocolVersion();
    return (agreed ?? '') >= FIRST_WITH_LINKS;
  }

  async function call(
    tool: BoundTool,
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

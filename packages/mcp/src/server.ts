/**
 * The tool server of one collection: the same tools in every mode and for every revision of the protocol.
 *
 * A failing call is a result that says what went wrong and what to do, which the model reads; only an
 * unknown tool is an error of the protocol.
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { type Api, ApiError } from './api.ts';
import { describe } from './facts.ts';
import { withProgress } from './progress.ts';
import { configTool } from './tools/config.ts';
import { grepTool } from './tools/grep.ts';
import { listTool } from './tools/list.ts';
import { fetchTool, readTool } from './tools/read.ts';
import { briefSearchTool, searchTool } from './tools/search.ts';
import { failure, listed, type Scene, success, type Tool } from './tools/tool.ts';

export const VERSION = '0.5.7';
/** The first revision that has links to resources. */
const WITH_LINKS = '2025-06-18';

/** Where the tools act. */
export interface Place {
  readonly api: Api;
  /** readable_id. */
  readonly collection: string;
  readonly mode: 'local' | 'hosted';
  /** Of the API, for people. */
  readonly address: string;
  /** What an answer may cost, at least LEAST_TOKENS. */
  readonly maxTokens: number;
  /** What the operator should know of. */
  readonly say: (text: string) => void;
}

/** One instance serves one connection, or one request. */
export function createToolServer(place: Place): Server {
  const { collection } = place;
  const server = new Server(
    { name: 'quarry', title: 'Quarry', version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: `Quarry searches what was copied from apps and databases into the collection '${collection}'. Everything here only reads.`,
    },
  );
  const scene = (signal: AbortSignal): Scene => ({
    api: place.api,
    collection,
    signal,
    maxTokens: place.maxTokens,
  });
  const tools = (about: string): Tool[] => [
    searchTool(collection, about),
    briefSearchTool(about),
    fetchTool,
    readTool,
    grepTool,
    listTool,
    configTool({ version: VERSION, mode: place.mode, address: place.address }),
  ];

  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    const about = await describe(place.api, collection, mcpReq.signal);
    return { tools: tools(about).map(listed) };
  });

  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = tools('').find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no tool '${params.name}': tools/list names those that there are`,
      );
    const args = tool.input.safeParse(params.arguments ?? {});
    if (!args.success) return failure(`Invalid arguments. ${faults(args.error)}`);
    const { signal } = ctx.mcpReq;
    return withProgress(ctx, tool.title, place.say, () =>
      call(tool, args.data, scene(signal), knowsLinks(ctx)),
    );
  });

  /** A request over HTTP names its revision, and one without is of a client that knows nothing newer. */
  function knowsLinks({ http }: ServerContext): boolean {
    const agreed = http
      ? http.req?.headers.get('mcp-protocol-version')
      : server.getNegotiatedProtocolVersion();
    return (agreed ?? '') >= WITH_LINKS;
  }

  async function call(
    tool: Tool,
    args: unknown,
    at: Scene,
    withLinks: boolean,
  ): Promise<CallToolResult> {
    try {
      return success(await tool.run(args as never, at), withLinks);
    } catch (error) {
      if (error instanceof ApiError) return failure(error.message);
      if (at.signal.aborted) throw error;
      place.say(`${tool.name} failed: ${(error as Error).stack}`);
      return failure(`${tool.name} failed for a reason that is no fault of the call; try again`);
    }
  }

  return server;
}

const faults = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

/** Checks that a body is a JSON-RPC message, or a batch of messages if the revision of the protocol allows batches. */
import { isSpecType } from '@modelcontextprotocol/server';
import { McpRefusal } from './refusal.ts';

/** This is the first revision without batches. A client that names no revision uses an older one. */
const WITHOUT_BATCHES = '2025-06-18';
const MAX_BATCH = 20;

/** Throws a McpRefusal when the body is neither a message nor an allowed batch. */
export function checkMessage(body: unknown, revision: string | undefined): void {
  if (body === undefined)
    throw new McpRefusal(400, 'the body is empty: send a JSON message', { code: 'parse' });
  const messages = Array.isArray(body) ? body : [body];
  if (Array.isArray(body) && revision !== undefined && revision >= WITHOUT_BATCHES)
    throw invalid(`revision ${revision} does not allow batches: send one message at a time`);
  if (messages.length === 0) throw invalid('the batch is empty: send at least one message');
  if (messages.length > MAX_BATCH) throw invalid(`a batch has at most ${MAX_BATCH} messages`);
  if (!messages.every((message) => isSpecType.JSONRPCMessage(message)))
    throw invalid('this is not a message of JSON-RPC 2.0: one has jsonrpc, method, params and id');
}

const PARAMS_TYPES = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
} as const;

/**
 * Throws a McpRefusal when the parameters of a method do not fit the revisions up to 2025-11-25. Otherwise the SDK
 * would report them as an error of the server.
 */
export function checkParams(body: unknown): void {
  for (const message of [body].flat()) {
    const { method } = message as { method?: string };
    const request = Object.entries(PARAMS_TYPES).find(([name]) => name === method)?.[1];
    if (request !== undefined && !isSpecType[request](message))
      throw new McpRefusal(
        400,
        `the parameters of ${method} do not have the form of the protocol`,
        {
          code: 'invalidParams',
        },
      );
  }
}

const invalid = (message: string) => new McpRefusal(400, message, { code: 'invalidRequest' });

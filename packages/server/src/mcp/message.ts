/** Whether a body is a message of JSON-RPC, or a batch of them where the revision has batches. */
import { isSpecType } from '@modelcontextprotocol/server';
import { McpRefusal } from './refusal.ts';

/** The first revision without batches. A client that names none speaks an older one. */
const WITHOUT_BATCHES = '2025-06-18';
const MOST_IN_A_BATCH = 20;

/** Throws a `Refusal` when it is none. */
export function checkMessage(body: unknown, revision: string | undefined): void {
  if (body === undefined)
    throw new McpRefusal(400, 'parse', 'the body is empty: send a JSON message');
  const messages = Array.isArray(body) ? body : [body];
  if (Array.isArray(body) && revision !== undefined && revision >= WITHOUT_BATCHES)
    throw invalid(`revision ${revision} has no batches: send one message at a time`);
  if (messages.length === 0) throw invalid('an empty batch asks nothing');
  if (messages.length > MOST_IN_A_BATCH)
    throw invalid(`a batch has at most ${MOST_IN_A_BATCH} messages`);
  if (!messages.every((message) => isSpecType.JSONRPCMessage(message)))
    throw invalid('this is not a message of JSON-RPC 2.0: one has jsonrpc, method, params and id');
}

const KNOWN = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
} as const;

/** Throws a `Refusal` for parameters that a method until 2025-11-25 does not take: the SDK calls them its own fault. */
export function checkParams(body: unknown): void {
  for (const message of [body].flat()) {
    const { method } = message as { method?: string };
    const request = Object.entries(KNOWN).find(([name]) => name === method)?.[1];
    if (request !== undefined && !isSpecType[request](message))
      throw new McpRefusal(
        400,
        'invalidParams',
        `the parameters of ${method} are not as the protocol wants them`,
      );
  }
}

const invalid = (message: string) => new McpRefusal(400, 'invalidRequest', message);

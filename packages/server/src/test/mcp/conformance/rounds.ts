/**
 * The conformance suite expects these tools and prompts. They need an answer of the client, and the suite calls them
 * again with that answer.
 */
import { randomBytes } from 'node:crypto';
import {
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { capabilitiesOf } from './tools.ts';

/** The state is sealed, because the client returns it and could change it. */
export const states = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) });

const form = (message: string, field: string) =>
  inputRequired.elicit({ message, requestedSchema: z.object({ [field]: z.string() }) });
const samples = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

const name = { user_name: form('What is your name?', 'name') };
const ASKED: Readonly<Record<string, InputRequests>> = {
  test_input_required_result_elicitation: name,
  test_streaming_elicitation: name,
  test_input_required_result_sampling: {
    capital_question: samples('What is the capital of France?'),
  },
  test_missing_capability: { sample: samples('Is there anybody?') },
  test_input_required_result_list_roots: { client_roots: inputRequired.listRoots() },
};
const ASKED_WITH_STATE: Readonly<Record<string, InputRequests>> = {
  test_input_required_result_request_state: { confirm: form('Please confirm', 'ok') },
  test_input_required_result_tampered_state: { confirm: form('Please confirm', 'ok') },
  test_input_required_result_multiple_inputs: {
    ...name,
    greeting: samples('Generate a greeting'),
    client_roots: inputRequired.listRoots(),
  },
};

const answered = ({ mcpReq }: ServerContext, asked: InputRequests): boolean =>
  Object.keys(asked).every((key) => mcpReq.inputResponses?.[key] !== undefined);

export function registerRounds(server: McpServer): void {
  const description = 'Of the conformance suite';
  for (const [tool, inputRequests] of Object.entries(ASKED))
    server.registerTool(tool, { description }, (ctx) =>
      answered(ctx, inputRequests)
        ? said(`It has been told ${JSON.stringify(ctx.mcpReq.inputResponses)}`)
        : inputRequired({ inputRequests }),
    );

  for (const [tool, inputRequests] of Object.entries(ASKED_WITH_STATE))
    server.registerTool(tool, { description }, async (ctx) => {
      const state = ctx.mcpReq.requestState<{ round: number }>();
      return state && answered(ctx, inputRequests)
        ? said('state-ok')
        : inputRequired({ inputRequests, requestState: await states.mint({ round: 1 }) });
    });

  server.registerTool('test_input_required_result_multi_round', { description }, async (ctx) => {
    const round = (ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0) + 1;
    const inputRequests: InputRequests | undefined = [
      { step1: form('Step 1: What is your name?', 'name') },
      { step2: form('Step 2: What is your favorite color?', 'color') },
    ][round - 1];
    return inputRequests
      ? inputRequired({ inputRequests, requestState: await states.mint({ round }) })
      : said('Both rounds are over.');
  });

  server.registerTool('test_input_required_result_capabilities', { description }, ({ mcpReq }) => {
    const can = capabilitiesOf(mcpReq);
    const inputRequests: InputRequests = {
      ...(can?.sampling && { sample: samples('Say something') }),
      ...(can?.elicitation && name),
    };
    return Object.keys(inputRequests).length > 0
      ? inputRequired({ inputRequests })
      : said('There is nothing that the client could be asked for.');
  });

  const context = { user_context: form('What context should the prompt use?', 'context') };
  server.registerPrompt('test_input_required_result_prompt', { description }, (ctx) =>
    answered(ctx, context)
      ? { messages: [{ role: 'user', content: { type: 'text', text: 'With that context.' } }] }
      : inputRequired({ inputRequests: context }),
  );
}

/**
 * Tests the tools in the loop of an agent: the AI SDK runs it, and asks the one entry for 50 facts of a company. Its model
 * knows no tool. It reads their descriptions and answers, as a language model does, and follows the tool that they name.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createMCPClient } from '@ai-sdk/mcp';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { DATABASES } from '../databases.ts';
import { type House, openHouse } from './house.ts';

const PROJECTS = 50;
const UNKNOWN = 'I do not know.';
const COLLECTIONS = ['wiki', 'tickets', 'board'] as const;
/** The key of the agent does not reach the third collection. */
const REACHED = COLLECTIONS.slice(0, 2);
const NAMES =
  'otter heron badger lynx marten falcon osprey weasel beaver plover curlew dunlin avocet siskin linnet'.split(
    ' ',
  );

const projects = Array.from({ length: PROJECTS }, (_, i) => {
  const name = `${NAMES[i % NAMES.length]} ${i + 10}`;
  return {
    name,
    collection: COLLECTIONS[i % 5 === 4 ? 2 : i % 2],
    fact: `The budget of project ${name} is ${1000 + i * 37} euros.`,
  };
});
const isReached = ({ collection }: (typeof projects)[number]) =>
  REACHED.some((one) => one === collection);

interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: { readonly required?: readonly string[] };
}

/** Decides the next step from the tools and the texts that came back so far. */
function nextStep(tools: readonly OfferedTool[], question: string, answers: readonly string[]) {
  const search = tools.find(({ description = '' }) => /search all collections/i.test(description));
  assert.ok(search, 'no description says that a tool searches all collections');
  const [found, record] = answers;
  if (found === undefined) return call(search, question);
  if (record !== undefined) {
    const wanted = /project (\w+ \d+)/.exec(question)?.[1] ?? '';
    const said = record.split(/(?<=\.)\s/).find((one) => one.includes(`project ${wanted} is`));
    return { text: said?.replace(/^.*The budget/s, 'The budget') ?? UNKNOWN };
  }
  const id = /"id":"([^"]+)"/.exec(found)?.[1];
  if (id === undefined) return { text: UNKNOWN };
  // The description of the search says which tool takes the id.
  const named = /call the tool `(\w+)` with its id/.exec(search.description ?? '')?.[1];
  const reader = tools.find(({ name }) => name === named);
  assert.ok(reader, `the description names the tool '${named}', which does not exist`);
  return call(reader, id);
}

const call = ({ name, inputSchema }: OfferedTool, value: string) => ({
  name,
  input: { [inputSchema?.required?.[0] ?? '']: value },
});

/** Everything that the model was given. */
const seen: string[] = [];

const model = new MockLanguageModelV4({
  async doGenerate({ prompt, tools = [] }) {
    seen.push(JSON.stringify(prompt));
    const question = JSON.stringify(prompt.find(({ role }) => role === 'user')?.content);
    const answers = prompt.flatMap(({ role, content }) =>
      role === 'tool' ? content.map((part) => textOf(part)) : [],
    );
    const asked = /Question: ([^"]+)/.exec(question)?.[1] ?? '';
    const step = nextStep(tools as readonly OfferedTool[], asked, answers);
    const isCall = 'name' in step;
    return {
      content: isCall
        ? [
            {
              type: 'tool-call' as const,
              toolCallId: `call-${seen.length}`,
              toolName: step.name,
              input: JSON.stringify(step.input),
            },
          ]
        : [{ type: 'text' as const, text: step.text }],
      finishReason: {
        unified: isCall ? ('tool-calls' as const) : ('stop' as const),
        raw: undefined,
      },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

/** A model reads the texts of an answer, and not its structured form. */
function textOf(part: unknown): string {
  const { output } = part as { output: { type: string; value: unknown } };
  if (typeof output.value === 'string') return output.value;
  return (output.value as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}

describe('an agent with the one entry', () => {
  let house: House;
  let key: string;
  before(async () => {
    house = await openHouse(DATABASES[0] ?? assert.fail());
    for (const readable_id of COLLECTIONS) {
      const { body } = await house.call('POST', '/v1/collections', {
        body: { name: readable_id, readable_id },
      });
      const connection = await house.library.addConnection(body.id);
      const own = projects.filter(({ collection }) => collection === readable_id);
      await house.library.put(
        body.id,
        connection,
        own.map(({ name, fact }, i) => ({
          id: `${readable_id}-${i}`,
          name: `Project ${name}`,
          text: `Notes of the meeting. ${fact} Everybody was content with it.`,
        })),
      );
    }
    const made = await house.call('POST', '/v1/api-keys', {
      body: { name: 'Agent', role: 'read', collections: REACHED },
    });
    key = made.body.key;
  });
  after(() => house.close());

  it('[MCP-01] [MCP-29] finds every fact that its key reaches by following the descriptions, and no other', async () => {
    const client = await createMCPClient({
      transport: { type: 'http', url: `${house.address}/mcp`, headers: { 'x-api-key': key } },
    });
    try {
      const tools = await client.tools();
      for (const project of projects) {
        const { text, steps } = await generateText({
          model,
          tools,
          stopWhen: isStepCount(5),
          prompt: `Question: What is the budget of project ${project.name}?`,
        });
        assert.equal(text, isReached(project) ? project.fact : UNKNOWN);
        assert.ok(steps.length >= 2);
      }
    } finally {
      await client.close();
    }
    const hidden = projects.filter((project) => !isReached(project));
    assert.equal(hidden.length, 10);
    for (const { fact } of hidden) assert.ok(!seen.join('').includes(fact), fact);
  });
});

/** Runs the agentic search of a library, without HTTP. */
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import type { Llm } from '../../engines/llm/llm.ts';
import type { Embedder, Reranker, SearchIndex } from '../../engines/ports.ts';
import { type AgentLimits, LIMITS } from '../../search/agent/limits.ts';
import { type AgenticAnswer, AgenticBody, type AgenticStep } from '../../search/agent/schema.ts';
import { createAgent } from '../../search/agent/service.ts';
import { createTools, type Tools } from '../../search/agent/tools.ts';
import type { Federated } from '../../search/federated/ask.ts';
import type { SearchDeps } from '../../search/service.ts';
import { searchDeps } from './deps.ts';
import type { Library } from './library.ts';

const embedder = createBuiltinEmbedder();
const never = new AbortController().signal;

interface Options {
  readonly principals?: readonly string[];
  readonly organization?: string;
  readonly index?: SearchIndex;
  readonly llm?: Llm;
  readonly embedder?: Embedder;
  readonly reranker?: Reranker;
  readonly federated?: Federated;
  readonly limits?: Partial<AgentLimits>;
  readonly signal?: AbortSignal;
  /** The agent calls this with every step when it reports the step. */
  readonly onStep?: (step: AgenticStep) => void;
}

export interface Asked extends AgenticAnswer {
  readonly steps: readonly AgenticStep[];
  readonly ids: readonly string[];
}

export async function ask(
  library: Library,
  collection: string,
  body: Record<string, unknown>,
  options: Options = {},
): Promise<Asked> {
  const steps: AgenticStep[] = [];
  const tell = (step: AgenticStep) => {
    steps.push(step);
    options.onStep?.(step);
  };
  const request = requestOf(library, collection, body, options);
  const limits = {
    fast: { ...LIMITS.fast, ...options.limits },
    thinking: { ...LIMITS.thinking, ...options.limits },
  };
  const answer = await createAgent(depsOf(library, options), limits).run(
    request,
    tell,
    options.signal ?? never,
  );
  return { ...answer, steps, ids: answer.results.map(({ entity_id }) => entity_id) };
}

/** Returns the tools that the agent has for a request with this filter. */
export const toolsOf = (
  library: Library,
  collection: string,
  filter: unknown = [],
  options: Options = {},
): Tools =>
  createTools(
    depsOf(library, options),
    requestOf(library, collection, { query: 'x', filter }, options),
    options.signal ?? never,
  );

const depsOf = (library: Library, options: Options): SearchDeps => ({
  ...searchDeps({
    db: library.db,
    index: options.index ?? library.index,
    embedder: options.embedder ?? embedder,
    llm: options.llm ?? null,
    reranker: options.reranker ?? null,
  }),
  ...(options.federated && { federated: options.federated }),
});

const requestOf = (
  library: Library,
  collection: string,
  body: Record<string, unknown>,
  { principals, organization }: Options,
) => ({
  organizationId: organization ?? library.organizationId,
  collectionIds: [collection],
  principals: principals ?? null,
  body: AgenticBody.parse(body),
});

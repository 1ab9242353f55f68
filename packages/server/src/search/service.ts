/**
 * Runs the standard search. It takes and returns plain data, because it runs in a thread of its own. The filter
 * and the asker's access go into every question to the index, access is checked once more on the rows, and the
 * answer says nothing but what the results say.
 *
 * A language model may write the query in other words, find restrictions in it, order the best results and write
 * the answer. Whatever it answers or does not answer, it names no data: this code decides what may be shown.
 */
import { everything, type Filter } from '../model/filter.ts';
import { terms } from '../model/terms.ts';
import { NOTHING, quoteAnswer } from './answer.ts';
import { explain } from './explain.ts';
import type { Federated, FederatedAnswer, FederatedQuestion } from './federated/ask.ts';
import { compileFilter } from './filter.ts';
import { type Interpretation, interpret } from './interpret.ts';
import { writeAnswer } from './llm/answer.ts';
import { type Assistant, assist } from './llm/assistant.ts';
import { interpretByModel } from './llm/interpret.ts';
import { vary } from './llm/vary.ts';
import { type RankingDeps, type ResultPage, rankedPage, type SearchScope, STALE } from './page.ts';
import { toPassage } from './passage.ts';
import { toResult } from './read.ts';
import { DEGRADABLE, type SearchAnswer, type SearchBody } from './schema.ts';
import { type Asker, type AskerView, namesOf, openView, untilFresh } from './scope.ts';
import { confirmed } from './visible.ts';

export type { SearchAnswer } from './schema.ts';

export interface SearchRequest extends Asker {
  readonly body: SearchBody;
}

export interface Search {
  /** Throws the signal's reason soon after it aborts. */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer>;
}

export interface SearchDeps extends RankingDeps {
  /** It is absent where no source is searched live. */
  readonly federated?: Federated;
}

/** An abort without a reason would make an exception with its stack. */
const OVER = 'the search is over';

type AskSources = (question: FederatedQuestion) => Promise<FederatedAnswer>;
const NOBODY: Promise<FederatedAnswer> = Promise.resolve({ rows: [], sources: [] });

/** The looks of one search share this. */
interface Help {
  /** Live sources are asked once for all looks. */
  readonly ask: AskSources;
  readonly assistant: Assistant;
  readonly signal: AbortSignal;
}

export const createSearch = (deps: SearchDeps): Search => ({
  async search(request, signal) {
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    const assistant = assist(deps.llm, deps.kept, stop);
    let asked: Promise<FederatedAnswer> | undefined;
    const ask: AskSources = (question) => {
      if (!asked) {
        asked = deps.federated?.ask(question, stop) ?? NOBODY;
        // It may fail before it is awaited, or never be awaited: that must not count as unhandled and end the
        // thread.
        asked.catch(() => {});
      }
      return asked;
    };
    try {
      const help = { ask, assistant, signal: stop };
      const found = await untilFresh((mayBeStale) => look(deps, request, help, mayBeStale));
      return await tell(deps, request, help, found);
    } finally {
      ended.abort(OVER);
    }
  },
});

interface Looked {
  readonly query: string;
  readonly understood: Interpretation;
  readonly filter: Filter;
  readonly scope: SearchScope;
  readonly page: ResultPage | null;
  readonly sources: FederatedAnswer['sources'];
  /** A model has served these options. */
  readonly byModel: ReadonlySet<(typeof DEGRADABLE)[number]>;
}

/**
 * Takes one look, which begins with the living connections, because one of them may have been deleted since the
 * last look.
 */
async function look(
  deps: RankingDeps,
  request: SearchRequest,
  { ask, assistant, signal }: Help,
  mayBeStale: boolean,
): Promise<Looked | typeof STALE> {
  const { body } = request;
  const byModel = new Set<(typeof DEGRADABLE)[number]>();
  const { connections, scope: scopeOf } = await openView(deps.db, request);
  const { said, own } = await understand(deps, body, { connections, scope: scopeOf }, assistant);
  if (said) byModel.add('interpret_filters');
  const understood = said ?? own;
  const { query } = understood;
  const filter = bothOf(body.filter && compileFilter(body.filter), understood.filter);
  const scope = scopeOf(filter);
  const looked = { query, understood, filter, scope, byModel };
  if (connections.length === 0) return { ...looked, page: null, sources: [] };
  // A federated source answers with what its account may see, but a person may not see all of that.
  const federated = scope.principals === null ? ask({ connections, query, filter }) : NOBODY;
  const variations = body.expand_query ? await vary(assistant, query) : undefined;
  if (variations) byModel.add('expand_query');
  const how = { mayBeStale, signal, federated, ...(variations && { variations }) };
  const [page, { sources }] = await Promise.all([
    rankedPage(deps, scope, { ...body, query }, how),
    federated,
  ]);
  if (page === STALE) return STALE;
  if (page.isRescored) byModel.add('rerank');
  return { ...looked, page, sources };
}

async function understand(
  deps: RankingDeps,
  body: SearchBody,
  view: AskerView,
  assistant: Assistant,
): Promise<{ said?: Interpretation | undefined; own: Interpretation }> {
  if (!body.interpret_filters || view.connections.length === 0)
    return { own: { query: body.query, filter: null } };
  const names = await namesOf(deps.index, view);
  const now = new Date();
  const said = await interpretByModel(assistant, body.query, names, now);
  return { said, own: interpret(body.query, names, now) };
}

function bothOf(asked: Filter | null, understood: Interpretation['filter']): Filter {
  const filters = [asked, understood && compileFilter(understood)].filter((one) => one !== null);
  return filters.length === 0 ? everything : { all: filters };
}

async function tell(
  deps: RankingDeps,
  request: SearchRequest,
  { assistant }: Help,
  { query, understood, filter, scope, page, sources, byModel }: Looked,
): Promise<SearchAnswer> {
  const { body, principals } = request;
  const written =
    body.generate_answer && page && page.found.length > 0
      ? await writeAnswer(assistant, { text: query, terms: terms(query) }, page.found)
      : undefined;
  const found = page?.found ?? [];
  // A model takes its time, even when it fails, and results that were found before may be gone by now.
  const hasWaited =
    (body.generate_answer && deps.llm !== null) || (body.rerank && deps.reranker !== null);
  const { items: still, isWhole } = hasWaited
    ? await confirmed(deps.db, (await openView(deps.db, request)).scope(filter), found)
    : { items: found, isWhole: true };
  const asked = { principals, expanded: scope.principals, recencyBias: body.recency_bias };
  const results = still.map((item) => ({
    ...toResult(item.row, item.score),
    ...(body.explain && page && { explanation: explain(item, page, asked) }),
  }));
  const served = new Set([...byModel, ...(written && isWhole ? ['generate_answer'] : [])]);
  const quotable = () => still.map(({ row, score }) => toPassage(row, score));
  const completion = () => {
    if (written && isWhole) return written.text;
    return page ? quoteAnswer(page.wanted.question, quotable()) : NOTHING;
  };
  return {
    results,
    ...(body.generate_answer && { completion: completion() }),
    metadata: {
      degraded: [
        ...DEGRADABLE.filter((option) => body[option] && !served.has(option)),
        ...(page?.isWithoutMeaning ? (['embedding'] as const) : []),
      ],
      ...(understood.filter && { interpreted_filter: { ...understood.filter } }),
      ...(sources.length > 0 && { federated: [...sources] }),
      ...(assistant.usage.length > 0 && { usage: assistant.usage.map(toUsage) }),
    },
  };
}

const toUsage = ({ model, calls, inputTokens, outputTokens }: Assistant['usage'][number]) => ({
  model,
  calls,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
});

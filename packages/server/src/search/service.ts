/**
 * Runs the standard search. It takes and returns plain data, because it runs in a thread of its own. The filter and the
 * asker's access go into every query to the index, access is checked once more on the rows, and the answer says nothing
 * but what the results say.
 *
 * A language model may write the query in other words, find restrictions in it, order the best results and write the
 * answer. Its answers never select data: this code alone decides what may be shown.
 */
import { inSnapshot } from '../db/snapshot.ts';
import { everything, type Filter } from '../model/filter.ts';
import { terms } from '../model/terms.ts';
import { must } from '../util.ts';
import { type Asker, namesOf, readView, stillVisible } from './access.ts';
import { NOTHING, quoteAnswer } from './answer/quote.ts';
import { explain } from './explain.ts';
import type { Federated, FederatedAnswer } from './federated/ask.ts';
import { compileFilter } from './filter.ts';
import { type Interpretation, interpret, type Names } from './interpret.ts';
import { writeAnswer } from './llm/answer.ts';
import { type Assistant, assist } from './llm/assistant.ts';
import { interpretByModel } from './llm/interpret.ts';
import { vary } from './llm/vary.ts';
import { rankedPage } from './page.ts';
import { toPassage } from './passage.ts';
import type { RankingDeps, ResultPage } from './ranking.ts';
import { toResult } from './read.ts';
import { DEGRADABLE, type ResultCollection, type SearchAnswer, type SearchBody } from './schema.ts';
import type { ChunkRow } from './store.ts';

export type { SearchAnswer } from './schema.ts';

export interface SearchRequest extends Asker {
  readonly body: SearchBody;
  /** Where these are given, each result names its collection. */
  readonly named?: readonly CollectionLabel[];
}

interface CollectionLabel {
  readonly id: string;
  readonly readable_id: string;
  readonly name: string;
}

export interface Search {
  /** Throws the signal's reason soon after it aborts. */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer>;
}

export interface SearchDeps extends RankingDeps {
  /** Without it, no source is searched live. */
  readonly federated?: Federated;
}

/** An abort without a reason would create an exception and its stack for every search. */
const OVER = 'the search is over';

const NO_SOURCES: FederatedAnswer = { rows: [], sources: [] };

export const createSearch = (deps: SearchDeps): Search => ({
  async search(request, signal) {
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    const assistant = assist(deps.llm, deps.kept, stop);
    try {
      const attempt = await attemptSearch(deps, request, { assistant, signal: stop });
      return await respond(deps, request, { assistant, ...attempt });
    } finally {
      ended.abort(OVER);
    }
  },
});

/** An attempt is everything that a search has found before it writes its answer. */
interface SearchAttempt {
  readonly query: string;
  readonly interpretation: Interpretation;
  readonly filter: Filter;
  readonly page: ResultPage | null;
  readonly sources: FederatedAnswer['sources'];
  /** A model has served these options. */
  readonly byModel: ReadonlySet<(typeof DEGRADABLE)[number]>;
}

/** Asks models and sources, and then takes a look at the data. */
async function attemptSearch(
  deps: SearchDeps,
  request: SearchRequest,
  { assistant, signal }: { readonly assistant: Assistant; readonly signal: AbortSignal },
): Promise<SearchAttempt> {
  const { body } = request;
  const byModel = new Set<(typeof DEGRADABLE)[number]>();
  const { connections, scope, names } = await viewFor(deps, request);
  const { byAssistant, builtin } = await interpretQuery(assistant, body.query, names);
  if (byAssistant) byModel.add('interpret_filters');
  const interpretation = byAssistant ?? builtin;
  const { query } = interpretation;
  const filter = bothOf(body.filter && compileFilter(body.filter), interpretation.filter);
  const attempt = { query, interpretation, filter, byModel };
  if (connections.length === 0) return { ...attempt, page: null, sources: [] };
  // A federated source returns everything that its account may see, but a person may be allowed to see less.
  const federated =
    scope(filter).principals === null && deps.federated
      ? deps.federated.ask({ connections, query, filter }, signal)
      : Promise.resolve(NO_SOURCES);
  // The promise may reject before it is awaited, or never be awaited; an unhandled rejection would end the thread.
  federated.catch(() => {});
  const variations = body.expand_query ? await vary(assistant, query) : undefined;
  if (variations) byModel.add('expand_query');
  const page = await rankedPage(deps, {
    ...{ asker: request, filter, body: { ...body, query }, federated, signal },
    ...(variations && { variations }),
  });
  if (page.isRescored) byModel.add('rerank');
  return { ...attempt, page, sources: (await federated).sources };
}

/** Reads the view of the asker and, if the query is to be interpreted, the names that the query may have. */
const viewFor = ({ db, index }: RankingDeps, request: SearchRequest) =>
  request.body.interpret_filters
    ? inSnapshot(db, async (tx) => {
        const opened = await readView(tx, request);
        const names = opened.connections.length > 0 ? await namesOf(index, tx, opened) : undefined;
        return { ...opened, names };
      })
    : readView(db, request).then((opened) => ({ ...opened, names: undefined }));

/** A query is interpreted only when there are names that it may mention. */
async function interpretQuery(
  assistant: Assistant,
  query: string,
  names: Names | undefined,
): Promise<{ byAssistant?: Interpretation | undefined; builtin: Interpretation }> {
  if (!names) return { builtin: { query, filter: null } };
  const now = new Date();
  const byAssistant = await interpretByModel(assistant, { query, names, now });
  return { byAssistant, builtin: interpret(query, names, now) };
}

function bothOf(asked: Filter | null, found: Interpretation['filter']): Filter {
  const filters = [asked, found && compileFilter(found)].filter((one) => one !== null);
  return filters.length === 0 ? everything : { all: filters };
}

async function respond(
  deps: RankingDeps,
  request: SearchRequest,
  attempt: SearchAttempt & { readonly assistant: Assistant },
): Promise<SearchAnswer> {
  const { body, principals } = request;
  const { assistant, query, interpretation, page, sources, byModel } = attempt;
  const written =
    body.generate_answer && page && page.found.length > 0
      ? await writeAnswer(assistant, { text: query, terms: terms(query) }, page.found)
      : undefined;
  const { items: still, isWhole, expanded } = await confirmedSince(deps, request, attempt);
  const asked = { principals, expanded, recencyBias: body.recency_bias };
  const results = still.map((item) => ({
    ...toResult(item.row, item.score),
    ...(request.named && { collection: collectionOf(item.row, request.named) }),
    ...(body.explain && page && { explanation: explain(item, page, asked) }),
  }));
  const served = new Set([...byModel, ...(written && isWhole ? ['generate_answer'] : [])]);
  const quotable = () => still.map(({ row, score }) => toPassage(row, score));
  const completion = () => {
    if (written && isWhole) return written.text;
    return page ? quoteAnswer(page.wanted, quotable(), deps.words) : NOTHING;
  };
  return {
    results,
    ...(body.generate_answer && { completion: completion() }),
    metadata: {
      degraded: [
        ...DEGRADABLE.filter((option) => body[option] && !served.has(option)),
        ...(page?.isWithoutMeaning ? (['embedding'] as const) : []),
      ],
      ...(interpretation.filter && { interpreted_filter: { ...interpretation.filter } }),
      ...(sources.length > 0 && { federated: [...sources] }),
      ...(assistant.usage.length > 0 && { usage: assistant.usage.map(toUsage) }),
    },
  };
}

function collectionOf(
  { collection_id }: Pick<ChunkRow, 'collection_id'>,
  named: readonly CollectionLabel[],
): ResultCollection {
  const { readable_id, name } = must(named.find(({ id }) => id === collection_id));
  return { readable_id, name };
}

/**
 * Returns the results that may still be shown. They are read again only when a model was asked for an answer, because
 * that takes long, even when it fails.
 */
async function confirmedSince(
  { db, llm }: RankingDeps,
  request: SearchRequest,
  { page, filter }: SearchAttempt,
) {
  if (!page) return { items: [], isWhole: true, expanded: null };
  if (!request.body.generate_answer || llm === null)
    return { items: page.found, isWhole: true, expanded: page.principals };
  return inSnapshot(db, async (tx) => {
    const scope = (await readView(tx, request)).scope(filter);
    return { ...(await stillVisible(tx, scope, page.found)), expanded: scope.principals };
  });
}

const toUsage = ({ model, calls, inputTokens, outputTokens }: Assistant['usage'][number]) => ({
  model,
  calls,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
});

/** Plays a scenario: a few records, then requests, and commits that happen between requests or during them. */
import fc from 'fast-check';
import type { Llm } from '../../../engines/llm/llm.ts';
import { everything, type Filter } from '../../../model/filter.ts';
import { compileFilter } from '../../../search/filter.ts';
import { StandardFilter } from '../../../search/filter-schema.ts';
import { FilterGroups } from '../../../search/groups.ts';
import { createModelCache, type ModelCache } from '../../../search/llm/model-cache.ts';
import type { SearchDeps } from '../../../search/service.ts';
import { must } from '../../../util.ts';
import type { Asker } from '../../random/oracle.ts';
import { Violation } from '../../random/violation.ts';
import { searchDeps } from '../deps.ts';
import type { Library } from '../library.ts';
import { type AgenticDraw, agenticDraw, playAgentic } from './agentic.ts';
import { type AssistantDraw, assistantDraw, takesFilter } from './assistant/draw.ts';
import { playAssistant } from './assistant.ts';
import {
  commitDraw,
  type DocDraw,
  docDraw,
  momentsDraw,
  type QueryDraw,
  scriptDraw,
} from './draws.ts';
import { lyingModels } from './liar.ts';
import { liveSources } from './live.ts';
import { type Moment, paused, pauseWith } from './moments.ts';
import { playStandard, type StandardDraw, standardDraw } from './standard.ts';
import { openToolServer, type TestToolServer } from './tool-server.ts';
import { playTools, type ToolsDraw, toolsDraw } from './tools.ts';
import { playTwins, type TwinsDraw, twinsDraw } from './twins.ts';
import { type Witness, watch } from './witness.ts';
import { openWorld, type World } from './world.ts';

/** A case is one request with everything that surrounds it. */
export interface Case {
  readonly library: Library;
  readonly world: World;
  readonly asker: Asker;
  /** The caller has sent this filter. */
  readonly filter: Filter;
  readonly query: string;
  readonly deps: SearchDeps;
  readonly witness: Witness;
  /** Nothing is committed during the request. */
  readonly isStill: boolean;
  readonly hasModel: boolean;
  readonly toolServer: TestToolServer;
  readonly signal: AbortSignal;
}

export const PATHS = ['standard', 'agentic', 'tools', 'assistant', 'twins'] as const;
export type Path = (typeof PATHS)[number];

const DRAWS = {
  standard: { request: standardDraw, awaits: 14 },
  agentic: { request: agenticDraw, awaits: 50 },
  tools: { request: toolsDraw, awaits: 8 },
  assistant: { request: assistantDraw, awaits: 16 },
  // Nothing else may happen between two requests that are compared.
  twins: { request: twinsDraw, awaits: null },
} as const;

type RequestDraw = SingleDraw | TwinsDraw;
type SingleDraw = StandardDraw | AgenticDraw | ToolsDraw | AssistantDraw;

export interface Turn {
  readonly request: RequestDraw;
  /** These commits happen before the request. */
  readonly commits: readonly Moment['commit'][];
  /** These commits happen during the request. */
  readonly moments: readonly Moment[];
  /** The models take these decisions; null stands for no model. */
  readonly script: readonly number[] | null;
}

export interface Scenario {
  readonly docs: readonly DocDraw[];
  readonly turns: readonly Turn[];
}

const MOST_TURNS = 50;

export function scenarioDraw(path: Path): fc.Arbitrary<Scenario> {
  const { awaits } = DRAWS[path];
  return fc.record({
    docs: fc.uniqueArray(docDraw, { selector: ({ id }) => id, minLength: 2, maxLength: 5 }),
    turns: fc.array(
      fc.record({
        request: DRAWS[path].request as fc.Arbitrary<RequestDraw>,
        commits: fc.oneof(
          { weight: 2, arbitrary: fc.constant([]) },
          commitDraw.map((commit) => [commit]),
        ),
        moments: fc.oneof(fc.constant([]), awaits === null ? fc.constant([]) : momentsDraw(awaits)),
        script: scriptDraw,
      }),
      { minLength: 1, maxLength: MOST_TURNS, size: 'max' },
    ),
  });
}

let shared: TestToolServer | undefined;
/** All scenarios share one tool server, because making its routes takes longer than a request. */
const sharedToolServer = (): TestToolServer => (shared ??= openToolServer());

/** Throws a Violation when an answer is wrong. moments.ts explains `pausesAtRows`. */
export async function play(
  library: Library,
  { docs, turns }: Scenario,
  pausesAtRows: boolean,
): Promise<void> {
  const world = await openWorld(library, docs);
  const kept = createModelCache();
  const toolServer = sharedToolServer();
  for (const [i, turn] of turns.entries()) {
    for (const commit of turn.commits) await world.commit(commit);
    try {
      await playTurn({ library, world, kept, toolServer, pausesAtRows }, turn);
    } catch (error) {
      if (error instanceof Violation)
        error.message += `\n  in turn ${i + 1}: ${JSON.stringify(turn)}`;
      throw error;
    }
  }
}

interface Stage {
  readonly library: Library;
  readonly world: World;
  /** All requests share this cache, because an answer of a model must be right for every asker who asks the same. */
  readonly kept: ModelCache;
  readonly toolServer: TestToolServer;
  readonly pausesAtRows: boolean;
}

async function playTurn(stage: Stage, { request, ...turn }: Turn): Promise<void> {
  if (request.path === 'twins')
    return playTwins(request, stage.world, (single, wrap) =>
      caseOf({ ...stage, kept: createModelCache() }, { ...turn, request: single }, wrap),
    );
  const at = caseOf(stage, { ...turn, request });
  if (request.path === 'standard') await playStandard(request, at);
  else if (request.path === 'agentic') await playAgentic(request, at);
  else if (request.path === 'tools') await playTools(request, at);
  else await playAssistant(request, at);
}

/** `wrap` may replace the language model, if the case has one. */
function caseOf(
  { library, world, kept, toolServer, pausesAtRows }: Stage,
  { request, moments, script }: Pick<Turn, 'moments' | 'script'> & { readonly request: SingleDraw },
  wrap: (llm: Llm) => Llm = (llm) => llm,
): Case {
  const asker = askerOf(request, world);
  const filter = filterOf(request);
  const witness = watch(world, asker, filter);
  const pause = pauseWith(world, moments);
  // The agent checks again everything that an answer shows, so a tool may still return what was deleted while it ran.
  const over = request.path === 'tools' ? () => {} : witness.over;
  const db = paused(library, pause, pausesAtRows);
  const models =
    script &&
    lyingModels({
      script,
      markers: world.markers,
      pause,
      reads: witness.reads,
      over,
    });
  const said = models && { ...models, llm: wrap(models.llm) };
  const federated = liveSources(db, world, request.live, { pause, answered: witness.answered });
  const deps = {
    ...searchDeps({ db, index: library.index, embedder: library.embedder, kept, ...said }),
    federated,
  };
  const ended = new AbortController();
  return {
    ...{ library, world, asker, filter, deps, witness, toolServer },
    query: queryOf(request.query, world),
    isStill: moments.length === 0,
    hasModel: script !== null,
    signal: ended.signal,
  };
}

function askerOf(request: SingleDraw, { places }: World): Asker {
  const { organizationId, collectionId } = must(places[request.collection % places.length]);
  const isStranger = request.path === 'assistant' && request.isStranger;
  const other = must(places.find((place) => place.organizationId !== organizationId));
  return {
    organizationId: isStranger ? other.organizationId : organizationId,
    collectionId,
    principals: request.principals,
  };
}

const filterOf = (request: SingleDraw): Filter => {
  if (request.path === 'assistant' && !takesFilter(request)) return everything;
  if (request.path !== 'standard' && request.path !== 'assistant')
    return compileFilter(FilterGroups.parse(request.groups));
  return request.filter ? compileFilter(StandardFilter.parse(request.filter)) : everything;
};

const queryOf = ({ words, marker, restriction }: QueryDraw, { markers }: World): string =>
  [words, marker === null ? null : markers[marker % Math.max(1, markers.length)], restriction]
    .filter(Boolean)
    .join(' ');

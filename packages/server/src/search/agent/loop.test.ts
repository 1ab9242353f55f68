/** Tests the conditions that end an agentic search. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { toPassage } from '../passage.ts';
import { type AgentLimits, LIMITS, OUT_OF_TIME } from './limits.ts';
import { explore } from './loop.ts';
import type { Action } from './plan.ts';
import { builtinPlanner } from './planner.ts';
import { understand } from './question.ts';
import type { AgenticStep } from './schema.ts';
import type { Tools } from './tools.ts';

const words = createWords(loadModel());

const question = understand(
  'dogs',
  { chunks: 0, averageLength: 0, documentFrequencies: [] },
  words,
);
const search = (query: string): Action => ({ tool: 'search', query, by: 'hybrid', weight: 1 });

interface Play {
  readonly limits?: Partial<AgentLimits>;
  /** The first queries are used at the beginning, and the others after each evaluation. */
  readonly queries: readonly (readonly string[])[];
  /** Each query finds one record by default, with a better score than the earlier ones. */
  readonly find?: (query: string) => readonly string[];
  readonly isSpent?: boolean;
}

/** Runs a search with a planner that always needs refinement and gives these queries. */
async function play({ limits, queries, find = (query) => [query], isSpent = false }: Play) {
  const [first = [], ...then] = queries.map((some) => some.map(search));
  const steps: AgenticStep[] = [];
  let score = 0.1;
  const tools: Pick<Tools, 'search'> = {
    search: async (query) => {
      score += 0.01;
      return find(query).map((id) => toPassage(chunkRow({ entity_id: id }), score));
    },
  };
  const found = await explore({
    question,
    tools: tools as Tools,
    wanted: 20,
    limits: { uses: 12, rounds: 4, timeMs: 0, tokens: 0, ...limits },
    signal: new AbortController().signal,
    tell: (step) => steps.push(step),
    planner: {
      ...builtinPlanner,
      plan: async () => ({ reasoning: '', strategy: '', actions: first }),
      evaluate: async () => ({ quality: 0.5, needsRefinement: true, actions: then.shift() ?? [] }),
      isSpent: () => isSpent,
    },
  });
  const rounds = steps.filter(({ type }) => type === 'evaluation').length;
  return { ...found, rounds, ids: found.pool.best(20).map(({ row }) => row.entity_id) };
}

describe('an exploration ends', () => {
  it('after the allowed number of searches, without another evaluation', async () => {
    const queries = [['a', 'b'], ['c', 'd'], ['e']];
    const { stoppedBy, searches, rounds, ids } = await play({ queries, limits: { uses: 3 } });
    assert.deepEqual([stoppedBy, searches, rounds], ['searches', 3, 2]);
    assert.deepEqual(ids, ['c', 'b', 'a']);
  });

  it('after the allowed number of evaluations', async () => {
    const queries = [['a'], ['b'], ['c'], ['d']];
    const { stoppedBy, searches, rounds } = await play({ queries, limits: { rounds: 2 } });
    assert.deepEqual([stoppedBy, searches, rounds], ['searches', 2, 2]);
  });

  it('[AGT-13] after the first evaluation in a mode with a single pass', async () => {
    const queries = [['a'], ['b']];
    const { stoppedBy, rounds } = await play({ queries, limits: { rounds: 1 } });
    assert.deepEqual([stoppedBy, rounds], ['single_pass', 1]);
  });

  it('when all new queries have been tried before', async () => {
    const { stoppedBy, searches, rounds } = await play({ queries: [['a'], ['A', 'a'], ['b']] });
    assert.deepEqual([stoppedBy, searches, rounds], ['nothing_new', 1, 1]);
  });

  it('when a later round finds nothing better, but not when only the first round finds nothing', async () => {
    const queries = [['a'], ['b'], ['c'], ['d']];
    const find = (query: string) => (query === 'a' || query === 'c' ? [] : ['x']);
    const { stoppedBy, rounds, ids } = await play({ queries, find });
    assert.deepEqual([stoppedBy, rounds, ids], ['nothing_new', 3, ['x']]);
  });

  it('when no tokens are left for the planner', async () => {
    const { stoppedBy, rounds } = await play({ queries: [['a'], ['b']], isSpent: true });
    assert.deepEqual([stoppedBy, rounds], ['tokens', 1]);
  });

  it('when its time is over, with the passages found so far', async () => {
    const find = (query: string) => {
      if (query === 'c') throw OUT_OF_TIME;
      return [query];
    };
    const queries = [['a', 'b'], ['c']];
    const { stoppedBy, searches, quality, ids } = await play({ queries, find });
    assert.deepEqual([stoppedBy, searches, quality], ['time', 2, 0.5]);
    assert.deepEqual(ids, ['b', 'a']);
  });

  it('with an error when its time is over before the first search has ended, or after any other error', async () => {
    const queries = [['a'], ['b']];
    const gone = new Error('gone');
    const failing = (error: Error, at: string) => (query: string) => {
      if (query === at) throw error;
      return [query];
    };
    await assert.rejects(play({ queries, find: failing(OUT_OF_TIME, 'a') }), OUT_OF_TIME);
    await assert.rejects(play({ queries, find: failing(gone, 'b') }), gone);
  });
});

it('[AGT-13] the limits of each mode are those in the table of the documentation', async () => {
  const docs = new URL('../../../../../docs/agentic-search.md', import.meta.url);
  const text = await readFile(docs, 'utf8');
  for (const [mode, { uses, rounds, timeMs, tokens }] of Object.entries(LIMITS)) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${mode}\``)) ?? '';
    const cells = row.split('|').slice(3, 7);
    assert.deepEqual(
      cells.map((cell) => Number(cell.replace(/[^\d]/g, ''))),
      [uses, rounds, timeMs / 1000, tokens],
    );
  }
});

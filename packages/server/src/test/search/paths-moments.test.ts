/**
 * Tests a search during which two commits happen, at each pair of its awaits. Random cases seldom reach these pairs.
 */
import { after, before, describe, it } from 'node:test';
import { newId } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { type Library, libraryOn } from './library.ts';
import type { CommitDraw, DocDraw } from './paths/draws.ts';
import type { Moment } from './paths/moments.ts';
import { play, type Turn } from './paths/play.ts';

/** A search has fewer awaits than this. */
const AWAITS = 12;
/** A tool that reads what was synced has fewer awaits than this. */
const READING = 9;
const MEMBER = { group: 'group:a', member: 'user:ann' };

const doc = (viewers: string[] | null): DocDraw => ({
  id: 'd0',
  type: 'Note',
  url: null,
  breadcrumbs: [],
  createdAt: null,
  updatedAt: Date.UTC(2025, 0, 1),
  access: { viewers, isPublic: false },
  fields: {},
  texts: ['harbour'],
});
const turn = (filter: object | null, moments: Moment[], commits: CommitDraw[] = []): Turn => ({
  request: {
    path: 'standard',
    collection: 0,
    principals: ['user:ann'],
    query: { words: 'harbour', marker: null, restriction: null },
    filter: filter as never,
    live: 'answers',
    retrieval_strategy: 'hybrid',
    expand_query: false,
    interpret_filters: false,
    rerank: false,
    generate_answer: false,
    explain: false,
    recency_bias: 0,
    page: null,
  },
  commits,
  moments,
  script: null,
});

const ofAssistant = (
  tool: 'read' | 'grep',
  moments: Moment[],
  commits: CommitDraw[] = [],
): Turn => ({
  request: {
    path: 'assistant',
    collection: 0,
    isStranger: false,
    principals: ['user:ann'],
    era: 'modern',
    tool,
    query: { words: 'harbour', marker: null, restriction: null },
    filter: null,
    live: 'answers',
    options: {
      response_type: 'raw',
      search_method: 'hybrid',
      expansion_strategy: 'no_expansion',
      enable_reranking: false,
      enable_query_interpretation: false,
      recency_bias: 0,
      limit: 1000,
      offset: 0,
    },
    record: 0,
    naming: 'record',
    pattern: 'harbour',
    narrow: {},
    name: undefined,
    size: 200,
  },
  commits,
  moments,
  script: null,
});

for (const database of DATABASES)
  describe(`a search between two commits on ${database.name}`, () => {
    let library: Library;
    let pausesAtRows: boolean;
    before(async () => {
      const opened = await database.open();
      pausesAtRows = opened.url !== null;
      library = libraryOn(opened, database.name, newId());
    });
    after(() => library.close());
    /**
     * Returns the awaits at which the first and the second commit happen. In a smoke test the two happen at the same
     * await.
     */
    const pairs = (awaits: number) =>
      Array.from({ length: awaits }, (_, at) =>
        Array.from({ length: isSmokeEnough(database) ? 1 : awaits - at }, (_, more) => [
          at,
          at + more,
        ]),
      ).flat() as [number, number][];
    const run = (docs: DocDraw[], one: Turn) => play(library, { docs, turns: [one] }, pausesAtRows);

    it('[SRH-29] a time that changes during a search is compared with the filter again', async () => {
      const since = { must: [{ key: 'updated_at', range: { gte: '2024-02-05' } }] };
      const commit: CommitDraw = { kind: 'times', connection: 0, doc: 0, updatedAt: null };
      for (let at = 0; at < AWAITS; at++) await run([doc(null)], turn(since, [{ at, commit }]));
    });

    it('[ENT-17] a person does not see a record that was written after the person had left its group', async () => {
      const join: CommitDraw = { kind: 'members', connection: 0, members: [MEMBER] };
      const leave: CommitDraw = { kind: 'members', connection: 0, members: [] };
      const closed = doc(['group:a']);
      const write: CommitDraw = { kind: 'put', connection: 0, doc: closed };
      for (const [at, next] of pairs(6)) {
        const moments = [
          { at, commit: leave },
          { at: next, commit: write },
        ];
        await run([closed], turn(null, moments, [join]));
      }
    });

    for (const tool of ['read', 'grep'] as const) {
      it(`[ENT-17] ${tool} does not show the new text of a record if the same commit hid the record from the asker`, async () => {
        const write: CommitDraw = { kind: 'put', connection: 0, doc: doc(['group:a']) };
        for (let at = 0; at < READING; at++)
          await run([doc(null)], ofAssistant(tool, [{ at, commit: write }]));
      });

      it(`[ENT-17] ${tool} does not show a text that was written after the asker had left the group`, async () => {
        const join: CommitDraw = { kind: 'members', connection: 0, members: [MEMBER] };
        const leave: CommitDraw = { kind: 'members', connection: 0, members: [] };
        const closed = doc(['group:a']);
        const write: CommitDraw = { kind: 'put', connection: 0, doc: closed };
        for (const [at, next] of pairs(READING)) {
          const moments = [
            { at, commit: leave },
            { at: next, commit: write },
          ];
          await run([closed], ofAssistant(tool, moments, [join]));
        }
      });
    }
  });

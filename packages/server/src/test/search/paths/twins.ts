/**
 * Plays the same request twice, with a record that the asker may not see and without it. Everything in the answer, in
 * the steps and in the questions to a language model must be equal, even the last bits of the scores.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Llm } from '../../../engines/llm/llm.ts';
import { must } from '../../../util.ts';
import { hold } from '../../random/violation.ts';
import { type AgenticDraw, agenticDraw, askAgentic } from './agentic.ts';
import { asking } from './assistant/ask.ts';
import { type AssistantDraw, assistantDraw } from './assistant/draw.ts';
import { hiddenDraw, rareQueryDraw, someoneDraw } from './draws.ts';
import type { Case } from './play.ts';
import { askStandard, type StandardDraw, standardDraw, WHOLE } from './standard.ts';
import type { World } from './world.ts';

/** The request is about the collection that gets the hidden record, and names principals. */
const asTwin = { collection: fc.constant(0), principals: someoneDraw, query: rareQueryDraw };

const requestDraw = fc.oneof(
  fc.tuple(standardDraw, fc.record(asTwin)).map(([draw, own]) => ({ ...draw, ...own })),
  fc.tuple(agenticDraw, fc.record(asTwin)).map(([draw, own]) => ({ ...draw, ...own })),
  fc.tuple(assistantDraw, fc.record(asTwin)).map(([draw, { principals, ...own }]) => ({
    ...draw,
    ...own,
    // A header cannot carry an empty list of principals.
    principals: principals.length === 0 ? ['user:nobody'] : principals,
    isStranger: false,
  })),
);

type TwinDraw = StandardDraw | AgenticDraw | AssistantDraw;

export const twinsDraw = fc.record({
  path: fc.constant('twins'),
  request: requestDraw as fc.Arbitrary<TwinDraw>,
  hidden: hiddenDraw,
});
export type TwinsDraw = typeof twinsDraw extends fc.Arbitrary<infer T> ? T : never;

type Open = (request: TwinDraw, wrap: (llm: Llm) => Llm) => Case;

export async function playTwins(
  { request, hidden: { source, doc } }: TwinsDraw,
  world: World,
  open: Open,
): Promise<void> {
  if (!world.has(source)) return;
  const remove = await world.add(source, doc);
  const withIt = await answerOf(request, open);
  await remove();
  const without = await answerOf(request, open);
  hold(
    isDeepStrictEqual(withIt, without),
    'a hidden record changes nothing',
    () => `\n  ${JSON.stringify(withIt)}\n  without it:\n  ${JSON.stringify(without)}`,
  );
}

async function answerOf(request: TwinDraw, open: Open): Promise<unknown> {
  const questions: unknown[] = [];
  const at = open(request, (llm) => ({
    ...llm,
    ask({ instructions, material, ...question }, ...rest) {
      questions.push([instructions, material]);
      return llm.ask({ ...question, instructions, material }, ...rest);
    },
  }));
  if (request.path === 'standard')
    return { answer: await askStandard(request, at, request.page ?? WHOLE), questions };
  if (request.path === 'agentic') return { answer: await askAgentic(request, at), questions };
  return { answer: withoutCursors(await askTool(request, at)), questions };
}

/** A cursor is sealed with random bytes, so two cursors are never equal. */
const withoutCursors = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replaceAll(/v1\.[\w-]{100,}/g, 'a cursor'));

function askTool(draw: AssistantDraw, at: Case): Promise<unknown> {
  const { call, pages, send } = asking(draw, at);
  const { tool, narrow, size: limit } = draw;
  const filter = draw.filter ? { filter: draw.filter } : {};
  if (tool === 'list tools') return send('tools/list', {});
  if (tool === 'search-')
    return call(`search-${at.asker.collectionId}`, { query: at.query, ...draw.options, ...filter });
  if (tool === 'search') return call(tool, { query: at.query });
  if (tool === 'read' || tool === 'fetch') return call(tool, { id: idOf(draw, at) });
  if (tool === 'get-config') return call(tool, {});
  if (tool === 'list')
    return pages(tool, { ...narrow, ...(draw.name && { name: draw.name }), limit }, after);
  const pattern = draw.pattern === 'MARKER' ? must(at.world.markers.at(-1)) : draw.pattern;
  return pages(tool, { pattern, ...narrow, limit, ...filter }, after);
}

const after = (data: any) => (data.next === null ? null : { after: data.next });

/** Returns the id of a record of that collection, or of one that is hidden or does not exist. */
function idOf({ record, naming }: AssistantDraw, { world, asker }: Case): string {
  const ids = [...must(world.states.at(-1)).values()]
    .filter(({ collectionId }) => collectionId === asker.collectionId)
    .flatMap(({ id, docs }) =>
      // The ids are the same whether the hidden record exists or not.
      [...new Set([...docs.keys(), 'a0', 'h0'])].toSorted().map((doc) => ({ id, doc })),
    );
  const { id, doc } = must(ids[record % ids.length]);
  return { record: `${id}:${doc}`, entity: doc, chunk: `${id}:${doc}__chunk_0`, nothing: 'none' }[
    naming
  ];
}

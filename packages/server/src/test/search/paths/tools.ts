/** Checks each tool of the agent by itself. The passages that the tool gets include some that the asker may not see. */
import fc from 'fast-check';
import { AgenticBody } from '../../../search/agent/schema.ts';
import { createTools } from '../../../search/agent/tools.ts';
import { type Passage, toPassage } from '../../../search/passage.ts';
import { type ChunkRow, chunks } from '../../../search/store.ts';
import { instantOrNull, must } from '../../../util.ts';
import { allowed, requestOf } from '../../random/oracle.ts';
import { hold } from '../../random/violation.ts';
import type { Piece, State } from '../../random/world.ts';
import type { Library } from '../library.ts';
import { groupsDraw, ofCollections, principalsDraw, queryDraw } from './draws.ts';
import { found } from './finds.ts';
import type { Case } from './play.ts';
import type { Shown } from './witness.ts';
import type { World } from './world.ts';

export const toolsDraw = fc.record({
  path: fc.constant('tools'),
  collection: ofCollections,
  principals: principalsDraw,
  query: queryDraw,
  groups: groupsDraw,
  live: fc.constantFrom('answers', 'rubbish', 'fails'),
  tool: fc.constantFrom('search', 'read', 'neighbours', 'count', 'confirm'),
  strategy: fc.constantFrom('hybrid', 'neural', 'keyword'),
  /** The tool is asked about the chunk with this number, among the chunks of all organizations. */
  passage: fc.nat(200),
});
export type ToolsDraw = typeof toolsDraw extends fc.Arbitrary<infer T> ? T : never;

export async function playTools(draw: ToolsDraw, at: Case): Promise<void> {
  const { asker, library, filter, deps, witness, isStill, signal } = at;
  const request = requestOf(asker, AgenticBody.parse({ query: at.query, filter: draw.groups }));
  const tools = createTools(deps, request, signal);
  const may = witness
    .allowedIn(witness.first, filter)
    .filter(({ connection }) => !connection.isLive);
  const countIn = (state: State) =>
    allowed(state, asker, filter).filter(({ connection }) => !connection.isLive).length;
  const { tool } = draw;

  function holdFound(rows: readonly ChunkRow[], expected: readonly Piece[]): void {
    witness.holdShown(rows.map(toShown), filter);
    if (!isStill) return;
    const keys = (list: readonly string[]) => [...list].sort().join(', ');
    const given = keys(
      rows
        .filter(({ n }) => n >= 0)
        .map((row) => `${row.connection_id} ${row.entity_id} ${row.position}`),
    );
    const wanted = keys(
      expected.map(({ connection, doc, position }) => `${connection.id} ${doc.id} ${position}`),
    );
    hold(
      given === wanted,
      'a tool gives everything that may be seen',
      () => `${tool} gives ${given} instead of ${wanted}`,
    );
  }

  if (tool === 'search') {
    const given = await tools.search(at.query, draw.strategy, 1000);
    witness.holdOrder(given.map(({ row, score }) => ({ ...toShown(row), score })));
    const rows = given.map(({ row }) => row);
    const asked = { query: at.query, strategy: draw.strategy };
    const least = await found(library.embedder, asked, may);
    if (draw.strategy === 'neural') holdFound(rows, least);
    else
      holdFound(
        rows,
        may.filter((piece) => least.includes(piece) || rows.some(isOf(piece))),
      );
  } else if (tool === 'count') {
    const count = await tools.count();
    // The tool reads connections, groups and chunks one after the other, so the three may come from different states.
    const states = witness.states();
    const counts = states.flatMap((alive, i) =>
      states
        .slice(i)
        .flatMap((members, k) =>
          states.slice(i + k).map((state) => countIn(mixed(alive, members, state))),
        ),
    );
    hold(
      isStill ? count === may.length : counts.includes(count),
      'a tool counts what may be seen',
      () => `${count} instead of ${may.length}`,
    );
  } else {
    const passages = await everyPassage(library, at.world);
    const passage = passages[draw.passage % Math.max(1, passages.length)];
    if (tool === 'confirm') {
      const { items: confirmed } = await tools.confirm(passages);
      holdFound(
        confirmed.map(({ row }) => row),
        may,
      );
    } else if (passage) {
      const near = tool === 'read' ? 10 : 1;
      const { connection_id, entity_id, position } = passage.row;
      const expected = may.filter(
        (piece) =>
          piece.connection.id === connection_id &&
          piece.doc.id === entity_id &&
          Math.abs(piece.position - position) <= near,
      );
      holdFound(await tools[tool](passage), expected);
    }
  }
}

const isOf = (piece: Piece) => (row: ChunkRow) =>
  row.connection_id === piece.connection.id &&
  row.entity_id === piece.doc.id &&
  row.position === piece.position;

const mixed = (alive: State, members: State, docs: State): State =>
  new Map(
    [...docs].map(([id, connection]) => [
      id,
      {
        ...connection,
        isDeleted: must(alive.get(id)).isDeleted,
        members: must(members.get(id)).isDeleted ? [] : must(members.get(id)).members,
      },
    ]),
  );

/** Returns all chunks, as if a search had found every one of them. */
async function everyPassage(library: Library, { places }: World): Promise<Passage[]> {
  const all = await Promise.all(
    places.map(async (place) => {
      const rows = await library.db
        .selectFrom('chunks')
        .innerJoin('entities', 'entities.id', 'chunks.entity')
        .select(['chunks.n', 'chunks.collection_id'])
        .where('entities.collection_id', '=', place.collectionId)
        .execute();
      return chunks(library.db, { ...place, collectionIds: [place.collectionId] }, rows);
    }),
  );
  return all.flat().map((row) => toPassage(row, 0.5));
}

const toShown = (row: ChunkRow): Shown => ({
  connectionId: row.connection_id,
  id: `${row.entity_id}__chunk_${row.position}`,
  text: row.text,
  name: row.name,
  updatedAt: instantOrNull(row.source_updated_at),
  score: 0,
});

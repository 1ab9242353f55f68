/** Checks the tools that read a record, find lines in records, and list records. */
import { must } from '../../../../util.ts';
import { hold } from '../../../random/violation.ts';
import type { Piece } from '../../../random/world.ts';
import type { Case } from '../play.ts';
import { markersIn, type Shown } from '../witness.ts';
import { type Asking, recordOf } from './ask.ts';
import type { AssistantDraw } from './draw.ts';

export async function playRead(
  draw: AssistantDraw & { readonly tool: 'read' | 'fetch' },
  at: Case,
  asking: Asking,
): Promise<void> {
  const { witness, filter, isStill, world } = at;
  const { own, mayIn, indexed, isForeign, call, holdSaid, holdFailure, holdRecords, sameKeys } =
    asking;
  const { tool } = draw;
  const all = [...must(world.states.at(-1)).values()].flatMap((connection) =>
    [...connection.docs.values()].map((doc) => ({ connection, doc })),
  );
  const { connection, doc } = must(all[draw.record % all.length]);
  const id = {
    record: `${connection.id}:${doc.id}`,
    entity: doc.id,
    chunk: `${connection.id}:${doc.id}__chunk_0`,
    nothing: `${connection.id}:nothing`,
  }[draw.naming];
  own.push(id);
  const said = await call(tool, { id });
  const meant = new Set(
    indexed.filter((piece) => id.startsWith(recordOf(piece)) || piece.doc.id === id).map(recordOf),
  );
  if (isForeign || (isStill && meant.size === 0)) return holdFailure(said, 404);
  if (isStill && meant.size > 1) return holdFailure(said, 409);
  if (said.isError) return holdSaid(said, []);
  if (tool === 'fetch') {
    holdRecords(
      [{ id: said.data.id.replace(/__chunk_\d+$/, ''), name: said.data.title }].filter(
        ({ id: one }) => one.includes(':'),
      ),
    );
    const texts = witness
      .states()
      .flatMap(mayIn)
      .map(({ text }) => text);
    holdSaid(said, texts);
  } else {
    const [, of = '', entity = ''] = /^(.{36}):(.*)$/s.exec(said.data.id) ?? [];
    const shown: Shown[] = said.data.chunks.map((chunk: any) => ({
      connectionId: of,
      id: `${entity}__chunk_${chunk.position}`,
      text: chunk.text,
      name: said.data.name,
      updatedAt: said.data.updated_at,
      score: 0,
    }));
    holdRecords([said.data]);
    witness.holdShown(shown, filter);
    holdSaid(
      said,
      shown.map(({ text }) => text),
    );
  }
  if (isStill) {
    const wanted = indexed.filter((piece) => meant.has(recordOf(piece))).map(({ text }) => text);
    const given = markersIn(JSON.stringify(said.data));
    sameKeys([...new Set(given)], [...new Set(wanted.flatMap(markersIn))]);
  }
}

const after = (data: any) => (data.next === null ? null : { after: data.next });

export async function playGrep(draw: AssistantDraw, at: Case, asking: Asking): Promise<void> {
  const { witness, filter, isStill, world } = at;
  const { own, indexed, isForeign, pages, holdSaid, holdFailure, sameKeys } = asking;
  const { narrow, size } = draw;
  const marker = world.markers[draw.record % Math.max(1, world.markers.length)] ?? 'x';
  const pattern = draw.pattern === 'MARKER' ? marker : draw.pattern;
  own.push(pattern);
  const args = { pattern, ...narrow, limit: size, ...(draw.filter && { filter: draw.filter }) };
  const all = await pages('grep', args, after);
  if (pattern === '(') return holdFailure(must(all[0]), 422);
  if (isForeign) return holdFailure(must(all[0]), 404);
  const lines: Shown[] = all.flatMap(({ data }) =>
    data.records.flatMap((record: any) =>
      record.lines.map(({ position, line }: { position: number; line: string }) => ({
        connectionId: record.id.slice(0, 36),
        id: `${record.entity_id}__chunk_${position}`,
        text: line,
        name: record.name,
        updatedAt: record.updated_at,
        score: 0,
      })),
    ),
  );
  witness.holdShown(lines, filter);
  for (const said of all)
    holdSaid(
      said,
      lines.map(({ text }) => text),
    );
  if (!isStill) return;
  const searched = indexed.filter((piece) => isNarrow(piece, narrow));
  const wanted = searched.filter(({ text }) => new RegExp(pattern).test(text));
  sameKeys(
    lines.map(({ connectionId, id }) => `${connectionId} ${id}`),
    wanted.map(({ connection, id }) => `${connection.id} ${id}`),
  );
  const counted = all.reduce((sum, { data }) => sum + data.searched, 0);
  hold(
    counted === searched.length,
    'a tool counts what it searched',
    () => `${counted} of ${searched.length}`,
  );
}

export async function playList(draw: AssistantDraw, at: Case, asking: Asking): Promise<void> {
  const { isStill } = at;
  const { indexed, isForeign, pages, holdSaid, holdFailure, holdRecords, sameKeys } = asking;
  const { narrow, size } = draw;
  const args = { ...narrow, ...(draw.name && { name: draw.name }), limit: size };
  const all = await pages('list', args, after);
  if (isForeign) return holdFailure(must(all[0]), 404);
  const items = all.flatMap(({ data }) => data.items);
  holdRecords(items);
  for (const said of all) holdSaid(said, []);
  if (!isStill) return;
  const wanted = indexed.filter(
    (piece) => isNarrow(piece, narrow) && piece.doc.name.includes((draw.name ?? '').toLowerCase()),
  );
  sameKeys(
    items.map(({ id }) => id),
    [...new Set(wanted.map(recordOf))],
  );
}

const isNarrow = (
  { doc, connection }: Piece,
  { entity_type, source_name }: AssistantDraw['narrow'],
): boolean =>
  (entity_type === undefined || doc.type === entity_type) &&
  (source_name === undefined || connection.shortName === source_name);

/** The tools that assistants are given, asked over HTTP in either era, against the oracle. */
import fc from 'fast-check';
import type { Filter } from '../../../model/filter.ts';
import { compileFilter } from '../../../search/filter.ts';
import { StandardFilter } from '../../../search/filter-schema.ts';
import { instantOrNull, must } from '../../../util.ts';
import { filterDraw, IDS, ofCollections, principalsDraw, queryDraw } from './draws.ts';
import { found } from './finds.ts';
import type { Case } from './play.ts';
import { markersIn, type Piece, type State } from './state.ts';
import { hold, type Shown } from './witness.ts';

const TOOLS = [
  'search-',
  'search',
  'fetch',
  'read',
  'grep',
  'list',
  'get-config',
  'list tools',
] as const;

export const assistantDraw = fc.record({
  path: fc.constant('assistant'),
  collection: ofCollections,
  /** Asks with a key of the other organization. */
  isStranger: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  // A header cannot name nobody.
  principals: principalsDraw.map((some) => (some?.length === 0 ? ['user:nobody'] : some)),
  era: fc.constantFrom('legacy', 'modern'),
  tool: fc.constantFrom(...TOOLS),
  query: queryDraw,
  filter: filterDraw,
  live: fc.constantFrom('answers', 'rubbish', 'fails'),
  options: fc.record({
    response_type: fc.constantFrom('raw', 'completion'),
    search_method: fc.constantFrom('hybrid', 'neural', 'keyword'),
    expansion_strategy: fc.constantFrom('auto', 'llm', 'no_expansion'),
    enable_reranking: fc.boolean(),
    enable_query_interpretation: fc.boolean(),
    recency_bias: fc.constantFrom(0, 0.4, 1),
    limit: fc.constantFrom(3, 1000),
    offset: fc.constantFrom(0, 0, 2),
  }),
  /** Which of all records of any organization it is asked about, and how it is named. */
  record: fc.nat(60),
  naming: fc.constantFrom('record', 'entity', 'chunk', 'nothing'),
  /** Of the text, or of a marker of any chunk that ever was. */
  pattern: fc.constantFrom('harbour', 'light|web', '^mk', '(', 'MARKER'),
  narrow: fc.record(
    {
      entity_type: fc.constantFrom('Note', 'Page', 'Unheard'),
      source_name: fc.constantFrom('push', 'files', 'shelf'),
    },
    { requiredKeys: [] },
  ),
  name: fc.option(fc.constantFrom(...IDS, 'D'), { nil: undefined }),
  /** Of a page. */
  size: fc.constantFrom(1, 3, 200),
});
export type AssistantDraw = typeof assistantDraw extends fc.Arbitrary<infer T> ? T : never;

/** Tools whose answer a filter narrows. */
export const takesFilter = ({ tool }: AssistantDraw): boolean =>
  tool === 'search-' || tool === 'grep';

/** What a tool gives, or what the API says of a call that fails. */
interface Said {
  readonly data: any;
  readonly text: string;
  readonly isError: boolean;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MOST_PAGES = 50;

export async function playAssistant(draw: AssistantDraw, at: Case): Promise<void> {
  const { asker, door, deps, witness, filter, isStill, library, world } = at;
  const { tool, options, narrow, size } = draw;
  door.use({ ...deps, embedder: library.embedder });
  const key = door.keyOf(asker.organizationId);
  /** The caller's own words may come back to him. */
  const own: string[] = [at.query];

  const mayIn = (state: State): Piece[] => witness.allowedIn(state, filter);
  const indexed = mayIn(witness.first).filter(({ connection }) => !connection.isLive);
  const isForeign = world.places.some(
    ({ collectionId, organizationId }) =>
      collectionId === asker.collectionId && organizationId !== asker.organizationId,
  );

  async function send(method: string, params: object): Promise<Said> {
    const isModern = draw.era === 'modern';
    const { principals } = asker;
    const named = (params as { name?: string }).name;
    const response = await door.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        'x-api-key': key,
        'x-collection-readable-id': asker.collectionId,
        'content-type': 'application/json',
        accept: isModern ? 'application/json, text/event-stream' : 'application/json',
        ...(principals && { 'x-principals': principals.join(', ') }),
        ...(isModern && { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }),
        ...(isModern && named !== undefined && { 'mcp-name': named }),
      },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...params, ...(isModern && { _meta: META }) },
      },
    });
    hold(
      response.statusCode === 200,
      () => `${tool} answers ${response.statusCode}: ${response.body}`,
    );
    hold(door.said.length === 0, () => `the log says ${door.said.splice(0)}`);
    const { result, error } = response.json();
    hold(result !== undefined, () => `${tool} fails: ${JSON.stringify(error)}`);
    if (method === 'tools/list') return { data: result, text: '', isError: false };
    return {
      data: result.structuredContent,
      text: JSON.stringify(result.content),
      isError: result.isError === true,
    };
  }
  const call = (name: string, args: object) => send('tools/call', { name, arguments: args });

  /** Says no marker but of these texts, and names no connection of which nothing may be seen. */
  function holdSaid(said: Said, texts: readonly string[]): void {
    const everything = JSON.stringify([said.data ?? null, said.text]);
    witness.holdWords(everything, [...texts, ...own], `the answer of ${tool}`);
    const seen = new Set(
      witness
        .states()
        .flatMap(mayIn)
        .map(({ connection }) => connection.id),
    );
    for (const connection of witness.first.values())
      hold(
        seen.has(connection.id) ||
          own.join().includes(connection.id) ||
          !everything.includes(connection.id),
        () => `${tool} names a connection of which nothing may be seen: ${everything}`,
      );
  }

  /** The tool fails, as it should where there is nothing for the one who asks. */
  function holdFailure(said: Said, status: number): void {
    hold(
      said.isError && said.text.includes(`API error (${status})`),
      () => `${tool} says ${said.text}`,
    );
    holdSaid(said, []);
  }

  /** Every page, as long as nothing changes; else the first. */
  async function pages(name: string, args: object, nextOf: (data: any) => object | null) {
    const all: Said[] = [];
    let more: object | null = {};
    while (more !== null) {
      const said: Said = await call(name, { ...args, ...more });
      all.push(said);
      more = said.isError || !isStill ? null : nextOf(said.data);
      hold(all.length <= MOST_PAGES, () => `${tool} has no last page`);
    }
    return all;
  }
  const after = (data: any) => (data.next === null ? null : { after: data.next });
  const sameKeys = (given: readonly string[], wanted: readonly string[]) =>
    hold(
      [...given].sort().join() === [...wanted].sort().join(),
      () => `${tool} gives ${given} instead of ${wanted}`,
    );
  const recordOf = ({ connection, doc }: Piece) => `${connection.id}:${doc.id}`;

  /** What is said of a record that no text is given of. */
  function holdRecords(
    records: readonly { id: string; name: string; updated_at?: string | null }[],
  ) {
    for (const record of records) {
      const isThere = witness
        .states()
        .some((state) =>
          mayIn(state).some(
            (piece) =>
              recordOf(piece) === record.id &&
              piece.doc.name === record.name &&
              (record.updated_at === undefined ||
                instantOrNull(piece.doc.updatedAt) === record.updated_at),
          ),
        );
      hold(isThere, () => `${tool} shows what it must not: ${JSON.stringify(record)}`);
    }
  }

  if (tool === 'search-') {
    const args = { query: at.query, ...options, ...(draw.filter && { filter: draw.filter }) };
    const said = await call(`search-${asker.collectionId}`, args);
    if (isForeign) return holdFailure(said, 404);
    hold(!said.isError, () => said.text);
    const shown: Shown[] = said.data.results.map((result: any) => ({
      connectionId: result.metadata.source_connection_id,
      id: result.entity_id,
      text: result.md_content,
      name: result.metadata.name,
      updatedAt: result.metadata.updated_at,
      score: result.score,
    }));
    const understood = said.data.interpreted_filter;
    // A model that lies may put any word into it.
    own.push(JSON.stringify(understood ?? null));
    const both: Filter = understood
      ? { all: [filter, compileFilter(StandardFilter.parse(understood))] }
      : filter;
    witness.holdShown(shown, both);
    witness.holdOrder(shown);
    holdSaid(
      said,
      shown.map(({ text }) => text),
    );
    witness.holdReading();
    if (!isStill || understood || options.limit < 1000 || options.offset > 0) return;
    const asked = { query: at.query, strategy: options.search_method };
    for (const { connection, id } of await found(library.embedder, asked, indexed))
      hold(
        shown.some((one) => one.connectionId === connection.id && one.id === id),
        () => `${connection.shortName} ${id} is missing`,
      );
    return;
  }

  if (tool === 'search') {
    const said = await call('search', { query: at.query });
    if (isForeign) return holdFailure(said, 404);
    hold(!said.isError, () => said.text);
    const results: { id: string; title: string }[] = said.data.results;
    holdRecords(
      results.map(({ id, title }) => ({ id: id.replace(/__chunk_\d+$/, ''), name: title })),
    );
    holdSaid(said, []);
    return;
  }

  if (tool === 'read' || tool === 'fetch') {
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
      indexed
        .filter((piece) => id.startsWith(recordOf(piece)) || piece.doc.id === id)
        .map(recordOf),
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
    return;
  }

  if (tool === 'grep') {
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
      () => `${counted} of ${searched.length} are said to be searched`,
    );
    return;
  }

  if (tool === 'list') {
    const args = { ...narrow, ...(draw.name && { name: draw.name }), limit: size };
    const all = await pages('list', args, after);
    if (isForeign) return holdFailure(must(all[0]), 404);
    const items = all.flatMap(({ data }) => data.items);
    holdRecords(items);
    for (const said of all) holdSaid(said, []);
    if (!isStill) return;
    const wanted = indexed.filter(
      (piece) =>
        isNarrow(piece, narrow) && piece.doc.name.includes((draw.name ?? '').toLowerCase()),
    );
    sameKeys(
      items.map(({ id }) => id),
      [...new Set(wanted.map(recordOf))],
    );
    return;
  }

  if (tool === 'get-config') {
    const said = await call('get-config', {});
    hold(
      isForeign === /API error \(404\)/.test(said.data.status),
      () => `the collection is said to be ${said.data.status}`,
    );
    holdSaid(said, []);
    return;
  }

  const said = await send('tools/list', {});
  holdSaid(said, []);
  const [{ description }] = said.data.tools;
  if (isForeign) {
    hold(/could not be found out: API error \(404\)/.test(description), () => description);
    return;
  }
  const states = witness.states();
  const told = [...description.matchAll(/(?:(\d+) )?\b(Note|Page)\b/g)].map(([, count, type]) => ({
    type,
    count: count === undefined ? null : Number(count),
  }));
  const fields = [...description.matchAll(/metadata\.(\w+)/g)].map(([, field]) => must(field));
  const stored = (state: State) => mayIn(state).filter(({ connection }) => !connection.isLive);
  for (const { type, count } of told) {
    hold(
      states.some((state) => stored(state).some(({ doc }) => doc.type === type)),
      () => `it is told of ${type}: ${description}`,
    );
    hold(
      asker.principals === null
        ? !isStill ||
            count === new Set(indexed.filter(({ doc }) => doc.type === type).map(recordOf)).size
        : count === null,
      () => `it is told of ${count} ${type}`,
    );
  }
  for (const field of fields)
    hold(
      states.some((state) => stored(state).some(({ doc }) => field in doc.fields)),
      () => `it is told of the field ${field}: ${description}`,
    );
  if (!isStill) return;
  sameKeys(
    told.map(({ type }) => must(type)),
    [...new Set(indexed.map(({ doc }) => doc.type))],
  );
}

const isNarrow = (
  { doc, connection }: Piece,
  { entity_type, source_name }: AssistantDraw['narrow'],
): boolean =>
  (entity_type === undefined || doc.type === entity_type) &&
  (source_name === undefined || connection.shortName === source_name);

/** Calls the tool server for a case, and checks the rules that every answer must follow. */
import { hold } from '../../../random/violation.ts';
import type { Piece, State } from '../../../random/world.ts';
import type { Case } from '../play.ts';
import { SHOWS_WHAT_IT_MAY } from '../witness.ts';
import type { AssistantDraw } from './draw.ts';

/** This is the answer of a tool, or the message of the API about a call that failed. */
export interface Said {
  readonly data: any;
  readonly text: string;
  readonly isError: boolean;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MOST_PAGES = 50;

/** Returns the id of the piece's record. */
export const recordOf = ({ connection, doc }: Piece): string => `${connection.id}:${doc.id}`;

export type Asking = ReturnType<typeof asking>;

export function asking({ tool, era }: AssistantDraw, at: Case) {
  const { asker, toolServer, deps, witness, filter, isStill, library, world } = at;
  toolServer.use({ ...deps, kind: library.kind, embedder: library.embedder });
  const key = toolServer.keyOf(asker.organizationId);
  /** An answer may contain the markers and ids in these texts, because the caller has sent them. */
  const own: string[] = [at.query];

  const mayIn = (state: State): Piece[] => witness.allowedIn(state, filter);
  const indexed = mayIn(witness.first).filter(({ connection }) => !connection.isLive);
  const isForeign = world.places.some(
    ({ collectionId, organizationId }) =>
      collectionId === asker.collectionId && organizationId !== asker.organizationId,
  );

  async function send(method: string, params: object): Promise<Said> {
    const isModern = era === 'modern';
    const { principals } = asker;
    const named = (params as { name?: string }).name;
    const response = await toolServer.app.inject({
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
      'the tool server answers',
      () => `${tool}: ${response.statusCode} ${response.body}`,
    );
    hold(toolServer.said.length === 0, 'nothing breaks', () => `${toolServer.said.splice(0)}`);
    const { result, error } = response.json();
    hold(
      result !== undefined,
      'the tool server answers',
      () => `${tool}: ${JSON.stringify(error)}`,
    );
    if (method === 'tools/list') return { data: result, text: '', isError: false };
    return {
      data: result.structuredContent,
      text: JSON.stringify(result.content),
      isError: result.isError === true,
    };
  }
  const call = (name: string, args: object) => send('tools/call', { name, arguments: args });

  /** Throws when the answer has a marker of another text, or names a connection of which the asker may see nothing. */
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
        'an answer names no connection of which nothing may be seen',
        () => `${tool}: ${everything}`,
      );
  }

  /** Throws unless the tool has failed with this status, as it must where the asker may see nothing. */
  function holdFailure(said: Said, status: number): void {
    hold(
      said.isError && said.text.includes(`API error (${status})`),
      'a tool refuses what may not be seen',
      () => `${tool} says ${said.text}`,
    );
    holdSaid(said, []);
  }

  /** Reads every page, or only the first page when commits happen during the request. */
  async function pages(name: string, args: object, nextOf: (data: any) => object | null) {
    const all: Said[] = [];
    let more: object | null = {};
    while (more !== null) {
      const said: Said = await call(name, { ...args, ...more });
      all.push(said);
      more = said.isError || !isStill ? null : nextOf(said.data);
      hold(all.length <= MOST_PAGES, 'a list has an end', () => tool);
    }
    return all;
  }
  const sameKeys = (given: readonly string[], wanted: readonly string[]) =>
    hold(
      [...given].sort().join() === [...wanted].sort().join(),
      'a tool gives everything that may be seen',
      () => `${tool} gives ${given} instead of ${wanted}`,
    );

  /** Checks the facts about a record that come without its text. */
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
                (piece.doc.updatedAt?.toISOString() ?? null) === record.updated_at),
          ),
        );
      hold(isThere, SHOWS_WHAT_IT_MAY, () => `${tool}: ${JSON.stringify(record)}`);
    }
  }

  return {
    own,
    mayIn,
    indexed,
    isForeign,
    send,
    call,
    pages,
    holdSaid,
    holdFailure,
    holdRecords,
    sameKeys,
  };
}

/** Answers one operation of Microsoft Graph: what it needs, and what it says. */
import { json, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import type { GraphDirectory, GraphUser } from './graph-directory.ts';
import type { GraphKeyed, GraphPager } from './graph-paging.ts';
import { type GraphAllowed, type GraphQuery, readQuery, selected } from './graph-query.ts';
import type { GraphPart, GraphRow } from './graph-refusal.ts';
import type { GraphSettings } from './graph-settings.ts';

export interface GraphAsked {
  readonly request: PeerRequest;
  /** These texts of the path have names in the operation. */
  readonly names: readonly string[];
  /** The person for whom the request is made, or null for an app of its own. */
  readonly me: GraphUser | null;
}

export interface GraphHandler {
  readonly part: GraphPart;
  /** One of these permissions is enough. */
  readonly needs: readonly string[];
  answer(asked: GraphAsked): PeerAnswer;
}

export type GraphHandlers = Readonly<Record<string, GraphHandler>>;

/** Handlers are made of these. */
export interface GraphParts {
  readonly directory: GraphDirectory;
  readonly settings: GraphSettings;
  readonly pager: GraphPager;
}

export const ok = (row: GraphRow): PeerAnswer => json(200, row);

/** Answers one object, of which the request may select properties. */
export function oneOf(
  request: PeerRequest,
  row: GraphRow | ((query: GraphQuery) => GraphRow),
  allowed: GraphAllowed = { query: ['$select'] },
): PeerAnswer {
  const query = readQuery(request, allowed);
  return ok(selected(typeof row === 'function' ? row(query) : row, query.select));
}

/** An entry of a listing is made when its page is shown, and the request may select properties of it. */
export const entry = (key: string, row: () => GraphRow): GraphKeyed => ({
  key,
  row: ({ select }) => selected(row(), select),
});

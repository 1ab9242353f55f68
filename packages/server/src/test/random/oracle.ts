/** Decides what may be found, as naively as possible: it looks at every piece, with one condition after the other. */
import type { Access } from '../../model/entity.ts';
import type { Filter } from '../../model/filter.ts';
import { filterMatches, type Matchable } from '../../model/filter-matches.ts';
import { type Doc, type Piece, piecesOf, type State } from './world.ts';

export interface Asker {
  readonly organizationId: string;
  readonly collectionId: string;
  readonly principals: readonly string[] | null;
}

/** Returns what a search is asked on behalf of this asker. */
export const requestOf = <Body>(
  { organizationId, collectionId, principals }: Asker,
  body: Body,
) => ({
  organizationId,
  collectionIds: [collectionId],
  principals,
  body,
});

/** Adds the groups that living connections of the organization name, until no more come up. */
export function heldBy(state: State, { organizationId, principals }: Asker): Set<string> | null {
  if (principals === null) return null;
  const held = new Set(principals);
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    for (const connection of state.values())
      if (connection.organizationId === organizationId && !connection.isDeleted)
        for (const { group, member } of connection.members) if (held.has(member)) held.add(group);
  }
  return held;
}

/** A live source answers with the rights of its own account, so an asker with principals gets none of its results. */
export function allowed(state: State, asker: Asker, filter: Filter): Piece[] {
  const held = heldBy(state, asker);
  const found: Piece[] = [];
  for (const connection of state.values()) {
    if (connection.organizationId !== asker.organizationId) continue;
    if (connection.collectionId !== asker.collectionId || connection.isDeleted) continue;
    if (connection.isLive && held !== null) continue;
    for (const piece of piecesOf(connection))
      if (maySee(held, piece) && filterMatches(toMatchable(piece), filter)) found.push(piece);
  }
  return found;
}

export function maySee(held: ReadonlySet<string> | null, { doc }: Piece): boolean {
  const { viewers, isPublic } = accessOf(doc);
  return held === null || isPublic || viewers === null || viewers.some((one) => held.has(one));
}

export const accessOf = ({ access }: Doc): Access => access ?? { viewers: null, isPublic: false };

const toMatchable = ({ connection, doc, position, id }: Piece): Matchable => ({
  entity_id: id,
  original_entity_id: doc.id,
  name: doc.name,
  source_name: connection.shortName,
  entity_type: doc.type,
  sync_id: connection.syncId,
  sync_job_id: connection.isLive ? null : connection.jobId,
  chunk_index: position,
  created_at: doc.createdAt?.toISOString() ?? null,
  updated_at: doc.updatedAt?.toISOString() ?? null,
  breadcrumbs: (doc.breadcrumbs ?? []).map(({ id, name, type }) => ({
    entity_id: id,
    name,
    entity_type: type,
  })),
  access: {
    viewers: accessOf(doc).viewers,
    is_public:
      accessOf(doc).viewers === null ? accessOf(doc).isPublic || null : accessOf(doc).isPublic,
  },
  metadata: doc.fields,
});

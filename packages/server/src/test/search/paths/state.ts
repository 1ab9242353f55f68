/** All that there is to find, as plain values: one for each commit, never changed afterwards. */
import { chunkId } from '../../../model/chunk.ts';
import type { Access, Breadcrumb } from '../../../model/entity.ts';
import type { Membership } from '../../../sources/define.ts';

export interface Doc {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly url: string | null;
  readonly breadcrumbs: readonly Breadcrumb[];
  /** Epoch milliseconds. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly access: Access;
  readonly fields: Readonly<Record<string, unknown>>;
  /** One chunk each, with a word that no other chunk has. */
  readonly texts: readonly string[];
}

export interface Connection {
  readonly id: string;
  readonly syncId: string;
  readonly jobId: string;
  readonly organizationId: string;
  readonly collectionId: string;
  readonly shortName: string;
  /** Its records are asked for during a search, and stand in no index. */
  readonly isLive: boolean;
  readonly isDeleted: boolean;
  readonly docs: ReadonlyMap<string, Doc>;
  readonly members: readonly Membership[];
}

/** By id. */
export type State = ReadonlyMap<string, Connection>;

export interface Piece {
  readonly connection: Connection;
  readonly doc: Doc;
  readonly position: number;
  /** As the outside sees it. */
  readonly id: string;
  readonly text: string;
}

/** Of what is found live only the first piece is shown. */
export const piecesOf = (connection: Connection): Piece[] =>
  [...connection.docs.values()].flatMap((doc) =>
    (connection.isLive ? doc.texts.slice(0, 1) : doc.texts).map((text, position) => ({
      connection,
      doc,
      position,
      id: chunkId(doc.id, position),
      text,
    })),
  );

const MARKER = /mk\d+x/g;
export const markersIn = (text: string): string[] => text.match(MARKER) ?? [];

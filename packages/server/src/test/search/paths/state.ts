/** A state is everything that can be found, as plain values. Each commit makes a new state, which never changes. */
import { chunkId } from '../../../model/chunk.ts';
import type { Access, Breadcrumb } from '../../../model/entity.ts';
import type { Membership } from '../../../sources/define.ts';
import type { SyncClaimed } from '../../../syncs/jobs/job-store.ts';

export interface Doc {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly url: string | null;
  readonly breadcrumbs: readonly Breadcrumb[];
  /** The times are in epoch milliseconds. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly access: Access;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Each text becomes one chunk, and has a word that no other chunk has. */
  readonly texts: readonly string[];
}

export interface Connection {
  readonly id: string;
  readonly syncId: string;
  readonly jobId: string;
  /** The job runs under the lease of this claim. */
  readonly claimed: SyncClaimed;
  readonly organizationId: string;
  readonly collectionId: string;
  readonly shortName: string;
  /** A search asks the source for its records, which are in no index. */
  readonly isLive: boolean;
  readonly isDeleted: boolean;
  readonly docs: ReadonlyMap<string, Doc>;
  readonly members: readonly Membership[];
}

/** Maps the ids of connections to the connections. */
export type State = ReadonlyMap<string, Connection>;

export interface Piece {
  readonly connection: Connection;
  readonly doc: Doc;
  readonly position: number;
  /** The API shows this id. */
  readonly id: string;
  readonly text: string;
}

/** A live source shows only the first piece of a record. */
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

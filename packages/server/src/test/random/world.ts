/** A state is everything that a search can find at one moment, as plain values, which never change. */
import { chunkId } from '../../model/chunk.ts';
import type { Entity } from '../../model/entity.ts';
import type { Membership } from '../../sources/define.ts';

/** Each of the texts is one chunk. */
export type Doc = Entity & { readonly texts: readonly string[] };

export interface Connection {
  readonly id: string;
  readonly syncId: string;
  /** The job wrote all records; null stands for any number of jobs. */
  readonly jobId: string | null;
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

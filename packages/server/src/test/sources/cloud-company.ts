/** This file says what a fake of a cloud service offers to the suite and to the simulator, and makes words for its records. */
import type { CloudPeer, PeerAnswer, PeerRequest } from './cloud-peer.ts';
import type { Resync } from './resync.ts';

/**
 * A fake with a company in it. The connector can see each change of the company through the service. Changes are asked
 * for in any order; one that is not possible, because nothing is left to change, does nothing.
 */
export interface CloudFake {
  readonly peer: CloudPeer;
  /**
   * The settings are the same that a person gives. Where the base URL of a source is fixed, the suite sends the source
   * to the peer with the setting of an operator.
   */
  readonly config: object;
  readonly credentials: Readonly<Record<string, string>>;
  /** These are the error answers of this service, in its own form. */
  readonly refusals: {
    readonly unauthorized: PeerAnswer;
    /** The list has every form in which the service asks a client to wait. Each of them asks for an hour. */
    readonly rateLimited: readonly PeerAnswer[];
    readonly serverError: PeerAnswer;
  };
  /**
   * From now on the service accepts this OAuth access token, and no other. Only a source whose OAuth has refresh tokens
   * needs this function.
   */
  acceptToken?(token: string): void;
  /** Returns the ids of all records that a search must find now. Each id has a word that no other record contains. */
  expected(): ReadonlyMap<string, string>;
  /** Changes one record and gives it a new word. Several calls change records of all types. */
  edit(): void;
  add(): void;
  /** Deletes one record. */
  remove(): void;
  removeMany(): void;
  /** Deletes a whole partition, such as a project, a team or a folder. */
  removePart(): void;
  /** From now on, the service refuses to list one part. The records of the part must stay. */
  forbidPart?(): void;
  /** The service forgets all cursors that it has given out. */
  forgetCursors?(): void;
  /**
   * Returns a name that a request has whenever it is sent. A service needs this function if addresses in its answers
   * are other ones each time.
   */
  nameOf?(request: PeerRequest): string;
  /** Edits and reorders records during a listing. Without this function, the suite edits and adds records. */
  shuffle?(): void;
}
export interface CloudCompany extends CloudFake {
  /** Says what a sync of unchanged records costs. */
  readonly resync: Resync;
}

const SYLLABLES = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'si', 'ta', 'vo', 'zu'];
let words = 0;
/** Returns a word that no record has had yet. */
export const newWord = (): string =>
  [...String(1000 + words++)].map((digit) => SYLLABLES[Number(digit)]).join('');
/** From now on `newWord` returns the same words again, for a company that nobody searches together with earlier ones. */
export const restartWords = (): void => {
  words = 0;
};

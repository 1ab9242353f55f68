/** Holds how the fake of Microsoft Graph behaves: what it permits, and the faults of its own. */
import type { PeerRequest } from './cloud-peer.ts';

/** With these permissions, an app or a person reads everything that this fake shows. */
export const GRAPH_PERMISSIONS = [
  'Files.Read.All',
  'Group.Read.All',
  'GroupMember.Read.All',
  'Mail.Read',
  'Organization.Read.All',
  'Sites.Read.All',
  'User.Read',
  'User.Read.All',
];

export interface GraphSettings {
  /** A page has at most this many rows, even when a request asks for more. */
  largestPage: number;
  /** The permissions that an administrator, or the person, has granted. */
  readonly permissions: Set<string>;
  /** Graph refuses with status 403 to show what is in the sites, drives, mailboxes or folders with these ids. */
  readonly forbidden: Set<string>;
  /** Every other page is empty, and leads to the next one. */
  emptyPages: boolean;
  /** An item comes twice in a delta, first in an older state. */
  repeatsItems: boolean;
  /** Each page with rows comes once more, behind its own link. */
  pagesTwice: boolean;
  /** The second page of each listing has no list. */
  withoutValue: boolean;
  /** Pages of listings go by numbers of rows, so what is removed meanwhile hides others. Deltas never do this. */
  shifts: boolean;
  /** A deleted folder comes up in a delta without what was in it. By the document, everything in it comes up. */
  deletesSilently: boolean;
  /** A delta says of a message that was read since only that, as Outlook often does. */
  readFlagsAlone: boolean;
  /** The store of files refuses addresses that were given before they ended. */
  epoch: number;
  /** Changes a right answer into one that is not checked. Returns undefined to leave it as it is. */
  spoil: ((value: any, request: PeerRequest) => unknown) | null;
  /** Returns the number of the last change in the whole organization. */
  readonly lastChange: () => number;
}

export const makeGraphSettings = (lastChange: () => number): GraphSettings => ({
  largestPage: 1000,
  permissions: new Set(GRAPH_PERMISSIONS),
  forbidden: new Set(),
  emptyPages: false,
  repeatsItems: false,
  pagesTwice: false,
  withoutValue: false,
  shifts: false,
  deletesSilently: false,
  readFlagsAlone: false,
  epoch: 0,
  spoil: null,
  lastChange,
});

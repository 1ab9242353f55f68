/** The records of mailboxes in Outlook, as the fake keeps them. */
import type { GraphUser } from './graph-directory.ts';

export interface GraphMailFolder {
  readonly id: string;
  name: string | null;
  parent: string;
  /** The name by which a request may call the folder, such as inbox. */
  readonly wellKnown: string | null;
  isHidden: boolean;
  seq: number;
  isGone: boolean;
}

export interface GraphAddress {
  readonly name: string | null;
  readonly address: string | null;
}

export interface GraphAttachment {
  readonly id: string;
  readonly kind: 'file' | 'item' | 'reference';
  name: string | null;
  contentType: string | null;
  content: string | Buffer;
  /** The listing shows this size instead of the real one. */
  claimedSize: number | null;
  isInline: boolean;
  contentId: string | null;
}

export interface GraphMessage {
  id: string;
  readonly immutableId: string;
  folder: string;
  subject: string | null;
  body: string | null;
  bodyType: 'html' | 'text';
  from: GraphAddress | null;
  to: readonly GraphAddress[];
  cc: readonly GraphAddress[];
  /** Times are texts as Graph shows them. */
  sentAt: string | null;
  receivedAt: string | null;
  createdAt: string;
  modifiedAt: string;
  version: number;
  isDraft: boolean;
  isRead: boolean;
  categories: readonly string[];
  readonly conversation: string;
  /** An invitation is also a message. */
  isInvitation: boolean;
  attachments: GraphAttachment[];
  seq: number;
  /** The last change was only that somebody has read the message. */
  isReadAlone: boolean;
}

/** A message that was in the folder is there no more. */
export interface GraphRemoval {
  readonly folder: string;
  readonly id: string;
  readonly immutableId: string;
  readonly seq: number;
  /** A message that was moved is changed, and one that cannot be restored is deleted. */
  readonly reason: 'changed' | 'deleted';
}

export interface GraphMailbox {
  readonly user: GraphUser;
  readonly rootId: string;
  readonly folders: Map<string, GraphMailFolder>;
  readonly messages: GraphMessage[];
  readonly removals: GraphRemoval[];
}

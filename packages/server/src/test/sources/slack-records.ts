/** The records of a workspace of Slack, as the fake keeps them. */

/** Objects of Slack have the form of its document, which checks each answer. */
export type SlackRow = Record<string, any>;
/** The values of a request are texts. */
export type SlackGiven = Readonly<Record<string, string | undefined>>;
export type SlackChannelKind = 'public_channel' | 'private_channel' | 'mpim' | 'im';

export interface SlackUser {
  readonly id: string;
  name: string;
  email: string | null;
  isBot: boolean;
  isDeleted: boolean;
}

export interface SlackMessage {
  /** It is the time, in seconds since 1970 with six digits, and the id within the channel. */
  readonly ts: string;
  readonly user: string | null;
  text: string;
  /** A reply has the time of its parent. */
  readonly threadTs: string | null;
  readonly subtype: string | null;
  /** A message of an app without a user has this name. */
  readonly username: string | null;
  editedAt: string | null;
  files: readonly string[];
  reactions: SlackRow[];
  blocks: SlackRow[] | null;
  /** A deleted parent stays as a tombstone as long as it has replies. */
  isTombstone: boolean;
}

export interface SlackChannel {
  readonly id: string;
  name: string;
  kind: SlackChannelKind;
  readonly members: Set<string>;
  isArchived: boolean;
  topic: string;
  purpose: string;
  readonly created: number;
  readonly messages: SlackMessage[];
}

export interface StoredSlackFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly content: string | Buffer;
  readonly user: string;
  readonly created: number;
  isDeleted: boolean;
}

/** Holds a workspace of Intercom: its records, and the clock of the service. */
import { newWord } from './cloud-company.ts';

/** A change takes longer than a connector looks back, so that a test notices what it no longer asks for. */
const BETWEEN_CHANGES_S = 7200;
/** The service answers this long after its last change. */
const LATER_S = 60;

export interface FakePart {
  readonly part_type: string;
  readonly body: string | null;
  readonly author?: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly redacted?: boolean;
  readonly attachments?: readonly { readonly type: string; readonly name: string }[];
}

/** `word` is in no other record. */
export interface WorldRecord {
  readonly id: string;
  word: string;
  readonly created_at: number;
  updated_at: number;
}
export interface WorldConversation extends WorldRecord {
  title: string | null;
  state: 'open' | 'closed' | 'snoozed';
  subject: string;
  admin_assignee_id: number | null;
  parts: FakePart[];
  /** The service hands out only the newest parts. */
  hiddenParts: number;
}
export interface WorldTicket extends WorldRecord {
  attributes: Record<string, unknown>;
  parts: FakePart[];
}
export interface WorldCollection extends WorldRecord {
  name: string;
  readonly parent: string | null;
}
export interface WorldArticle extends WorldRecord {
  title: string;
  state: 'published' | 'draft';
  readonly parent: string | null;
}

export const ANN = { type: 'user', id: 'u1', name: 'Ann Lee' };
export const BOB = { type: 'admin', id: '7', name: 'Bob Ray' };

export type IntercomWorld = ReturnType<typeof newIntercomWorld>;

export function newIntercomWorld() {
  let second = Date.UTC(2026, 2, 1) / 1000;
  let made = 100;
  const conversations = new Map<string, WorldConversation>();
  const tickets = new Map<string, WorldTicket>();
  const collections = new Map<string, WorldCollection>();
  const articles = new Map<string, WorldArticle>();

  const tick = () => {
    second += BETWEEN_CHANGES_S;
    return second;
  };
  function base(): WorldRecord {
    const at = tick();
    return { id: String(made++), word: newWord(), created_at: at, updated_at: at };
  }
  function keep<Record_ extends WorldRecord>(
    records: Map<string, Record_>,
    record: Record_,
  ): Record_ {
    records.set(record.id, record);
    return record;
  }

  return {
    conversations,
    tickets,
    collections,
    articles,
    /** Answers carry this time, in seconds. */
    now: () => second + LATER_S,
    tick,
    addConversation: (with_: Partial<WorldConversation> = {}) =>
      keep(conversations, {
        ...base(),
        title: null,
        state: 'open',
        subject: '',
        admin_assignee_id: 7,
        parts: [
          { part_type: 'assignment', body: null, author: BOB },
          { part_type: 'note', body: '<p>The customer is in a <b>hurry</b>.</p>', author: BOB },
        ],
        hiddenParts: 0,
        ...with_,
      }),
    addTicket: (with_: Partial<WorldTicket> = {}) =>
      keep(tickets, {
        ...base(),
        attributes: { _default_title_: 'The lamp is broken', Floor: 3 },
        parts: [{ part_type: 'comment', body: '<p>We are on it.</p>', author: BOB }],
        ...with_,
      }),
    addCollection: (parent: string | null = null) =>
      keep(collections, { ...base(), name: `Collection ${made}`, parent }),
    addArticle: (parent: string | null = null) =>
      keep(articles, { ...base(), title: 'How to begin', state: 'published', parent }),
    /** Gives the record a new word, at a new time or at the given one. */
    change(record: WorldRecord, at = tick()): void {
      record.word = newWord();
      record.updated_at = at;
    },
  };
}

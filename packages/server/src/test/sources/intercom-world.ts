/** A workspace of Intercom: its records, in the form of the service's answers, and the clock of the service. */
import { must } from '../../util.ts';
import { newWord } from './cloud-suite.ts';

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
interface Base {
  readonly id: string;
  word: string;
  readonly created_at: number;
  updated_at: number;
}
export interface WorldConversation extends Base {
  title: string | null;
  state: 'open' | 'closed' | 'snoozed';
  subject: string;
  admin_assignee_id: number | null;
  parts: FakePart[];
  /** The service hands out only the newest parts. */
  hiddenParts: number;
}
export interface WorldTicket extends Base {
  attributes: Record<string, unknown>;
  parts: FakePart[];
}
export interface WorldCollection extends Base {
  name: string;
  readonly parent: string | null;
}
export interface WorldArticle extends Base {
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
  function base(): Base {
    const at = tick();
    return { id: String(made++), word: newWord(), created_at: at, updated_at: at };
  }
  function keep<Record_ extends Base>(records: Map<string, Record_>, record: Record_): Record_ {
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
    change(record: Base, at = tick()): void {
      record.word = newWord();
      record.updated_at = at;
    },
  };
}

export const conversationOf = (record: WorldConversation) => ({
  type: 'conversation',
  id: record.id,
  title: record.title,
  created_at: record.created_at,
  updated_at: record.updated_at,
  waiting_since: null,
  open: record.state === 'open',
  state: record.state,
  priority: 'not_priority',
  admin_assignee_id: record.admin_assignee_id,
  tags: { type: 'tag.list', tags: [{ type: 'tag', id: '1', name: 'Billing' }] },
  source: {
    type: 'conversation',
    id: `s${record.id}`,
    subject: record.subject,
    body: `<p>My question is about ${record.word}.</p>`,
    author: { ...ANN, email: 'ann@example.com' },
    attachments: [],
    url: null,
    redacted: false,
  },
  statistics: {
    type: 'conversation_statistics',
    count_conversation_parts: record.parts.length + record.hiddenParts,
  },
});

/** Only a conversation that is asked for by itself has its parts. */
export const wholeConversationOf = (record: WorldConversation) => ({
  ...conversationOf(record),
  conversation_parts: {
    type: 'conversation_part.list',
    conversation_parts: record.parts.map((part, i) => partOf(part, record, i)),
    total_count: record.parts.length,
  },
});

export const ticketOf = (record: WorldTicket) => ({
  type: 'ticket',
  id: record.id,
  ticket_id: `T${record.id}`,
  category: 'Customer',
  ticket_attributes: {
    ...record.attributes,
    _default_description_: `It is about ${record.word}.`,
  },
  ticket_state: {
    type: 'ticket_state',
    id: '1',
    category: 'in_progress',
    internal_label: 'In progress',
  },
  ticket_type: { type: 'ticket_type', id: '5', name: 'Repair' },
  admin_assignee_id: '7',
  created_at: record.created_at,
  updated_at: record.updated_at,
  open: true,
  ticket_parts: {
    type: 'ticket_part.list',
    ticket_parts: record.parts.map((part, i) => partOf(part, record, i)),
    total_count: record.parts.length,
  },
});

const partOf = (part: FakePart, record: Base, i: number) => ({
  id: `${record.id}-${i}`,
  created_at: record.created_at + i,
  updated_at: record.created_at + i,
  ...part,
});

export const collectionOf = ({ id, name, word, parent, ...times }: WorldCollection) => ({
  id,
  name,
  description: `Everything about ${word}.`,
  url: `https://help.example/collections/${id}`,
  parent_id: parent,
  created_at: times.created_at,
  updated_at: times.updated_at,
});

export const articleOf = ({ id, title, word, state, parent, ...times }: WorldArticle) => ({
  type: 'article',
  id,
  title,
  description: null,
  body: `<h2>First steps</h2><p>Begin with ${must(word)}.</p>`,
  author_id: 7,
  state,
  parent_id: parent === null ? null : Number(parent),
  ...(parent !== null && { parent_type: 'collection' }),
  url: state === 'draft' ? null : `https://help.example/articles/${id}`,
  created_at: times.created_at,
  updated_at: times.updated_at,
});

/** Shows the records of a workspace of Intercom as its answers have them. */
import {
  ANN,
  type FakePart,
  type WorldArticle,
  type WorldCollection,
  type WorldConversation,
  type WorldRecord,
  type WorldTicket,
} from './intercom-world.ts';

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

const partOf = (part: FakePart, record: WorldRecord, i: number) => ({
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
  body: `<h2>First steps</h2><p>Begin with ${word}.</p>`,
  author_id: 7,
  state,
  parent_id: parent === null ? null : Number(parent),
  ...(parent !== null && { parent_type: 'collection' }),
  url: state === 'draft' ? null : `https://help.example/articles/${id}`,
  created_at: times.created_at,
  updated_at: times.updated_at,
});

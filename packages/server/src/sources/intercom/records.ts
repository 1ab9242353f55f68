/** Makes entities of the answers of Intercom. */
import { htmlToMarkdown } from '../../documents/html.ts';
import { SourceError } from '../../errors.ts';
import type { Breadcrumb, Entity } from '../../model/entity.ts';
import { beginningOf, inOneLine } from '../../util.ts';
import { fail, type SourceItem, upsert } from '../items.ts';
import type { Article, Conversation, IntercomCollection, Ticket } from './answers.ts';
import { type Region, siteOf } from './regions.ts';
import { dateOf, threadOf } from './thread.ts';

const MAX_NAME = 100;
const TITLE = '_default_title_';
const DESCRIPTION = '_default_description_';

export const conversationId = (id: string) => `conversation/${id}`;
export const ticketId = (id: string) => `ticket/${id}`;
export const collectionId = (id: string) => `collection/${id}`;
export const articleId = (id: string) => `article/${id}`;

/** A record whose HTML cannot be read fails alone, and not the list that it comes with. */
export function itemOf(
  {
    id,
    type,
    partition,
  }: { readonly id: string; readonly type: string; readonly partition: string },
  make: () => Entity,
): SourceItem {
  try {
    return upsert(make(), { partition });
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return fail(id, type, error);
    throw error;
  }
}

export function toConversation(
  conversation: Conversation,
  of: { readonly region: Region; readonly assignee: string | null },
): Entity {
  const { id, title, source, created_at, conversation_parts: parts, statistics } = conversation;
  const first = source && { ...source, created_at };
  const known = parts.conversation_parts;
  const all = Math.max(parts.total_count ?? 0, statistics?.count_conversation_parts ?? 0);
  const said = first && !first.redacted ? first.subject || first.body : '';
  return {
    id: conversationId(id),
    type: 'IntercomConversation',
    name: nameOf([title, said], `Conversation ${id}`),
    text: threadOf(first ? [first, ...known] : known, { known: known.length, all }),
    url: `${siteOf(of.region)}/a/apps/_/inbox/inbox/conversation/${encodeURIComponent(id)}`,
    createdAt: dateOf(created_at),
    updatedAt: dateOf(conversation.updated_at),
    fields: {
      state: conversation.state,
      channel: source?.type ?? '',
      started_by: source?.author?.name || null,
      assignee: of.assignee,
      tags: conversation.tags?.tags.map(({ name }) => name) ?? [],
      is_priority: conversation.priority === 'priority',
    },
  };
}

export function toTicket(
  ticket: Ticket,
  of: { readonly region: Region; readonly assignee: string | null },
): Entity {
  const { id, ticket_id, ticket_attributes: attributes, ticket_parts: parts } = ticket;
  const known = parts.ticket_parts;
  const thread = threadOf(known, { known: known.length, all: parts.total_count ?? 0 });
  const text = [
    htmlToMarkdown(textIn(attributes[DESCRIPTION])),
    listOfAttributes(attributes),
    thread,
  ];
  return {
    id: ticketId(id),
    type: 'IntercomTicket',
    name: nameOf([textIn(attributes[TITLE])], `Ticket ${ticket_id || id}`),
    text: text.filter(Boolean).join('\n\n'),
    url: `${siteOf(of.region)}/a/apps/_/tickets/${encodeURIComponent(id)}`,
    createdAt: dateOf(ticket.created_at),
    updatedAt: dateOf(ticket.updated_at),
    fields: {
      number: ticket_id,
      ticket_type: ticket.ticket_type?.name ?? '',
      category: ticket.category,
      state: ticket.ticket_state?.internal_label || ticket.ticket_state?.category || '',
      is_open: ticket.open,
      assignee: of.assignee,
    },
  };
}

export const toCollection = (
  collection: IntercomCollection,
  breadcrumbs: Breadcrumb[],
): Entity => ({
  id: collectionId(collection.id),
  type: 'IntercomCollection',
  name: nameOf([collection.name], `Collection ${collection.id}`),
  text: htmlToMarkdown(collection.description),
  url: collection.url || undefined,
  breadcrumbs,
  createdAt: dateOf(collection.created_at),
  updatedAt: dateOf(collection.updated_at),
  fields: {},
});

export const toArticle = (
  article: Article,
  of: { readonly breadcrumbs: Breadcrumb[]; readonly author: string | null },
): Entity => ({
  id: articleId(article.id),
  type: 'IntercomArticle',
  name: nameOf([article.title], `Article ${article.id}`),
  text: [article.description, article.body]
    .map((html) => htmlToMarkdown(html))
    .filter(Boolean)
    .join('\n\n'),
  url: article.url || undefined,
  breadcrumbs: of.breadcrumbs,
  createdAt: dateOf(article.created_at),
  updatedAt: dateOf(article.updated_at),
  fields: { state: article.state, author: of.author },
});

/** A title or a subject may be HTML, and is often empty. */
function nameOf(candidates: readonly string[], otherwise: string): string {
  const names = candidates.map((html) => beginningOf(inOneLine(htmlToMarkdown(html)), MAX_NAME));
  return names.find(Boolean) ?? otherwise;
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

/** The workspace defines the other attributes. Files among them have only links that end soon. */
const listOfAttributes = (attributes: Readonly<Record<string, unknown>>) =>
  Object.entries(attributes)
    .flatMap(([name, value]) => {
      const isPlain = ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
      return isPlain && ![TITLE, DESCRIPTION].includes(name)
        ? [`- ${inOneLine(name)}: ${inOneLine(String(value))}`]
        : [];
    })
    .join('\n');

/** The parts of Intercom's answers (API 2.15) that the connector uses. All times are seconds since 1970. */
import { z } from 'zod';
import { flag, maybe, some, strictText, text } from '../kit/lenient.ts';

const Time = z.int().nonnegative();

export const Me = z.object({ email: text, app: maybe(z.object({ name: text })) });
export const Admins = z.object({ admins: some(z.object({ id: strictText, name: text })) });

const Author = z.object({ name: text, email: text, type: text });
const Attachments = some(z.object({ name: text }));
const Said = { body: text, author: maybe(Author), redacted: flag, attachments: Attachments };
export const IntercomPart = z.object({ ...Said, part_type: text, created_at: maybe(Time) });
export type IntercomPart = z.output<typeof IntercomPart>;

const Tags = maybe(z.object({ tags: some(z.object({ name: text })) }));
export const ListedConversation = z.object({
  id: strictText,
  updated_at: Time,
  state: text,
  admin_assignee_id: maybe(strictText),
  statistics: maybe(z.object({ count_conversation_parts: maybe(Time) })),
});
export type ListedConversation = z.output<typeof ListedConversation>;
export const Conversation = ListedConversation.extend({
  title: text,
  created_at: maybe(Time),
  priority: text,
  tags: Tags,
  source: maybe(z.object({ ...Said, type: text, subject: text })),
  conversation_parts: z.object({
    conversation_parts: z.array(IntercomPart),
    total_count: maybe(Time),
  }),
});
export type Conversation = z.output<typeof Conversation>;

export const Ticket = z.object({
  id: strictText,
  ticket_id: text,
  category: text,
  ticket_attributes: z.record(z.string(), z.unknown()).catch({}),
  ticket_state: maybe(z.object({ internal_label: text, category: text })),
  ticket_type: maybe(z.object({ name: text })),
  admin_assignee_id: maybe(strictText),
  open: flag,
  created_at: maybe(Time),
  updated_at: Time,
  ticket_parts: z.object({ ticket_parts: z.array(IntercomPart), total_count: maybe(Time) }),
});
export type Ticket = z.output<typeof Ticket>;

export const IntercomCollection = z.object({
  id: strictText,
  name: text,
  description: text,
  url: text,
  parent_id: maybe(strictText),
  created_at: maybe(Time),
  updated_at: Time,
});
export type IntercomCollection = z.output<typeof IntercomCollection>;

export const ListedArticle = z.object({
  id: strictText,
  updated_at: Time,
  state: text,
  parent_id: maybe(strictText),
  author_id: maybe(strictText),
});
export type ListedArticle = z.output<typeof ListedArticle>;
export const Article = ListedArticle.extend({
  title: text,
  description: text,
  body: text,
  url: text,
  created_at: maybe(Time),
});
export type Article = z.output<typeof Article>;

/** The place of the next page. An odd one is an error, because the rest of the listing would count as deleted. */
const Next = z
  .object({ next: z.object({ starting_after: strictText.nullish() }).nullish() })
  .nullish();
export const Conversations = z
  .object({ conversations: z.array(ListedConversation), pages: Next })
  .transform(({ conversations, pages }) => ({ records: conversations, pages }));
export const Tickets = z
  .object({ tickets: z.array(Ticket), pages: Next })
  .transform(({ tickets, pages }) => ({ records: tickets, pages }));

/** The lists of the help center count their pages. */
export const listOf = <T>(item: z.ZodType<T>) =>
  z.object({
    data: z.array(item),
    total_count: maybe(Time),
    pages: maybe(z.object({ total_pages: maybe(Time) })),
  });

/**
 * Conversations and tickets are asked for by the time of their last change, in a full pull from the beginning of time.
 * The help center is small and comes whole in every pull, because nothing tells which articles are gone.
 */

import { z } from 'zod';
import { bookmark, checkpoint, remove, type SourceItem, stub } from '../items.ts';
import { ifReadable, type pages, part, unlessLost } from '../kit/listing.ts';
import { serviceTime } from '../kit/service-time.ts';
import { Admins, type ListedConversation, Me, type Ticket } from './answers.ts';
import type { IntercomContext } from './context.ts';
import { HELP_CENTER, helpCenterOf } from './help-center.ts';
import { conversationId, itemOf, ticketId, toTicket } from './records.ts';
import { apiOf } from './regions.ts';
import { conversationsOf, ticketsOf } from './search.ts';

/** Searches find a record only some minutes after it has changed, so each pull looks back a little further. */
const LAG_S = 600;

const KINDS = ['conversations', 'tickets'] as const;
const IntercomKind = z.enum(KINDS);
type IntercomKind = z.output<typeof IntercomKind>;

const Second = z.int();
/**
 * Each part has been read up to this second of the service. A part that could not be read keeps its time, so that
 * nothing is missed when it can be read again; 0 means that it was never read.
 */
export const IntercomCursor = z.object({
  conversations: Second,
  tickets: Second,
  help_center: Second,
});
type IntercomCursor = z.output<typeof IntercomCursor>;

/** An interrupted full pull goes on in the first part that is not done, at the page `after`. */
const IntercomPosition = z.object({
  start: Second,
  next: IntercomCursor,
  done: z.array(IntercomKind),
  after: z.string().nullable(),
});
type IntercomPosition = z.output<typeof IntercomPosition>;

interface PullOf extends IntercomContext {
  readonly cursor: IntercomCursor | null;
  readonly bookmark: unknown;
}
interface IntercomReading {
  readonly ctx: IntercomContext;
  readonly since: number;
  readonly position: IntercomPosition;
  readonly names: ReadonlyMap<string, string>;
  readonly isFull: boolean;
}

export async function* pulled(ctx: PullOf): AsyncGenerator<SourceItem, void, void> {
  const { http, config, cursor } = ctx;
  const isFull = cursor === null;
  const before = cursor ?? { conversations: 0, tickets: 0, help_center: 0 };
  const { names, now } = await beginningOf(ctx);
  let position: IntercomPosition = ctx.bookmark
    ? IntercomPosition.parse(ctx.bookmark)
    : { start: now, next: before, done: [], after: null };
  for (const kind of KINDS) {
    if (position.done.includes(kind)) continue;
    const items = itemsOf(kind, { ctx, since: before[kind], position, names, isFull });
    const isRead = yield* isFull ? part(kind, items) : unlessLost(kind, items);
    const next = isRead ? { ...position.next, [kind]: position.start } : position.next;
    position = { ...position, next, done: [...position.done, kind], after: null };
    if (isFull) yield bookmark(position);
  }
  const isAgain = (at: number) => isSameSecond(at, before.help_center);
  const isRead = yield* part(
    HELP_CENTER,
    helpCenterOf(http, { region: config.region, names, isAgain }),
  );
  yield checkpoint(isRead ? { ...position.next, help_center: position.start } : position.next);
}

async function* itemsOf(
  kind: IntercomKind,
  reading: IntercomReading,
): AsyncGenerator<SourceItem, void, void> {
  const { ctx, position, since } = reading;
  const asked = {
    region: ctx.config.region,
    since: Math.max(0, since - LAG_S),
    after: position.after,
  };
  yield* kind === 'tickets'
    ? paged(ticketsOf(ctx.http, asked), reading, ticketItem)
    : paged(conversationsOf(ctx.http, asked), reading, conversationItem);
}

async function* paged<Item>(
  listing: ReturnType<typeof pages<readonly Item[], string>>,
  reading: IntercomReading,
  toItem: (item: Item, reading: IntercomReading) => SourceItem,
): AsyncGenerator<SourceItem, void, void> {
  for await (const { page, next } of listing) {
    for (const item of page) yield toItem(item, reading);
    if (reading.isFull && next !== null) yield bookmark({ ...reading.position, after: next });
  }
}

function conversationItem(conversation: ListedConversation, reading: IntercomReading): SourceItem {
  const { id, updated_at, state, statistics } = conversation;
  if (reading.ctx.config.exclude_closed_conversations && state === 'closed')
    return remove(conversationId(id));
  const assignee = reading.names.get(conversation.admin_assignee_id ?? '') ?? null;
  const count = statistics?.count_conversation_parts ?? null;
  return stub(conversationId(id), 'IntercomConversation', {
    version: JSON.stringify([updated_at, count, assignee]),
    partition: 'conversations',
    carry: { id, assignee },
    isAgain: isSameSecond(updated_at, reading.since),
  });
}

function ticketItem(ticket: Ticket, { ctx, names }: IntercomReading): SourceItem {
  const assignee = names.get(ticket.admin_assignee_id ?? '') ?? null;
  return itemOf({ id: ticketId(ticket.id), type: 'IntercomTicket', partition: 'tickets' }, () =>
    toTicket(ticket, { region: ctx.config.region, assignee }),
  );
}

/**
 * The pull before began at `since` and may have read this record within the second of its last change, so another
 * change in that second has left its version as it was.
 */
const isSameSecond = (updatedAt: number, since: number) => since > 0 && updatedAt >= since;

interface IntercomBeginning {
  /** The names of teammates by their ids. An app that may not read teammates shows no names. */
  readonly names: ReadonlyMap<string, string>;
  /** This is the present second of the service. */
  readonly now: number;
}

async function beginningOf({ http, config }: IntercomContext): Promise<IntercomBeginning> {
  const api = apiOf(config.region);
  const admins = await ifReadable(() => http.json({ path: `${api}/admins` }, Admins), null);
  const { headers } = admins ?? (await http.json({ path: `${api}/me` }, Me));
  const names = new Map(admins?.value.admins.map(({ id, name }) => [id, name]) ?? []);
  return { names, now: Math.floor(serviceTime(headers) / 1000) };
}

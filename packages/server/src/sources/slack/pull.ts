/**
 * Lists channels, whole or from a day on. A pull that asks for changes lists whole days, the last one and those of the
 * week before, so it also finds edits and deletions there. Slack tells neither, and it tells of a thread only the time of
 * its latest reply.
 */
import { z } from 'zod';
import { bookmark, checkpoint, listed, type SourceItem } from '../items.ts';
import { unlessLost } from '../kit/listing.ts';
import type { Channel, MessageAnswer } from './answer.ts';
import { historyAt } from './api.ts';
import {
  dayOf,
  dayPart,
  partOf,
  type ReadThreads,
  recordsOf,
  type SlackItems,
  threadOf,
} from './items.ts';
import type { SlackReader } from './reader.ts';
import { isReply } from './records.ts';

const DAY = 86_400;
const LOOK_BACK_DAYS = 7;

const ChannelState = z.strictObject({
  /** The channel was read at this time, in seconds since 1970. */
  at: z.number(),
  /** These days, in days since 1970, are those of the look-back that have messages. */
  days: z.array(z.number()),
  /** These threads had a reply within the day before. */
  threads: z.array(z.string()).default([]),
  /** A channel that becomes private, or public, is read whole. */
  isPrivate: z.boolean(),
  /** The channel was already archived when its reading began. A cursor may be older than this field. */
  isArchived: z.boolean().default(false),
  /** The reading of a channel that is new to the connection goes on at this page. */
  next: z.string().optional(),
});
type ChannelState = z.infer<typeof ChannelState>;
const States = z.record(z.string(), ChannelState);

export const SlackCursor = z.strictObject({ channels: States });
type SlackCursor = z.infer<typeof SlackCursor>;

/** The channels in `left` are still to be listed, the first one from its next page on. */
const SlackPosition = z.object({
  at: z.number(),
  channels: States,
  left: z.array(z.string()),
  days: z.array(z.number()),
  threads: z.array(z.string()).default([]),
  page: z.string().nullable(),
});

export interface SlackPull {
  readonly reader: SlackReader;
  /** Older messages are not read. The default is 0, the whole history. */
  readonly oldest: number;
  readonly now: number;
}

/** The next pull lists these days of the look-back, and reads these threads. */
class RecentInChannel {
  readonly days: Set<number>;
  readonly threads: ReadThreads;

  constructor(
    at: number,
    known: Pick<ChannelState, 'days' | 'threads'> = { days: [], threads: [] },
  ) {
    this.days = new Set(known.days);
    this.threads = { all: new Set(), lively: new Set(known.threads), since: at - DAY };
  }

  get state() {
    return { days: [...this.days], threads: [...this.threads.lively] };
  }
}

export async function* pullAll(pull: SlackPull, interrupted: unknown): SlackItems {
  const { reader } = pull;
  yield* reader.missing;
  const begun =
    interrupted === null
      ? {
          at: pull.now,
          channels: {},
          left: reader.channels.map(({ id }) => id),
          days: [],
          threads: [],
          page: null,
        }
      : SlackPosition.parse(interrupted);
  const { at, channels } = begun;
  let { left, page } = begun;
  let recent = new RecentInChannel(at, begun);
  for (const id of left) {
    const channel = reader.channels.find((one) => one.id === id);
    if (channel) {
      const items = wholeChannel({ ...pull, now: at }, channel, {
        page,
        recent,
        isFull: true,
        markAt: (next) =>
          bookmark({ at, channels: { ...channels }, left, ...recent.state, page: next }),
      });
      if (yield* unlessLost(partOf(id), items))
        channels[id] = {
          ...{ at, ...recent.state, isPrivate: channel.is_private },
          // The first pages of an interrupted reading may be from before it was archived.
          isArchived: page === null && channel.is_archived,
        };
    }
    left = left.slice(1);
    recent = new RecentInChannel(at);
    page = null;
    yield bookmark({ at, channels: { ...channels }, left, ...recent.state, page });
  }
  yield checkpoint({ channels } satisfies SlackCursor);
}

interface WholeChannel {
  readonly page: string | null;
  /** The reading adds to it what the next pull must know. */
  readonly recent: RecentInChannel;
  readonly markAt: (next: string) => SourceItem;
  /** A full pull says which days it has listed. In any other, a day may lie on both sides of a checkpoint. */
  readonly isFull: boolean;
}

async function* wholeChannel(
  pull: SlackPull,
  channel: Channel,
  { page: from, recent, markAt, isFull }: WholeChannel,
): SlackItems {
  const { reader, oldest, now } = pull;
  const asked = { oldest, from };
  for await (const { page, next } of historyAt(reader.http, channel.id, asked)) {
    const days = new Set<number>();
    const { messages } = page;
    yield* itemsOf(pull, channel, { messages, oldest, days, since: 0, threads: recent.threads });
    for (const day of days) {
      if (isFull) yield listed(dayPart(channel, day));
      if (day >= firstDayOf(now)) recent.days.add(day);
    }
    if (next !== null) yield markAt(next);
  }
}

const firstDayOf = (at: number): number => Math.floor(at / DAY) - LOOK_BACK_DAYS;

/** The channels that were read the longest time ago come first, so an interrupted pull makes progress. */
export async function* pullChanges(pull: SlackPull, cursor: SlackCursor): SlackItems {
  const { reader, now } = pull;
  yield* reader.missing;
  const read = new Set(reader.channels.map(({ id }) => id));
  const channels = Object.fromEntries(
    Object.entries(cursor.channels).filter(([id]) => read.has(id)),
  );
  const readAt = ({ id }: Channel) => channels[id]?.at ?? 0;
  for (const channel of reader.channels.toSorted((a, b) => readAt(a) - readAt(b))) {
    const { id, is_private: isPrivate, is_archived: isArchived } = channel;
    const known = channels[id];
    if (known && !known.next && known.isPrivate === isPrivate) {
      // Nothing changes in an archived channel.
      if (isArchived && known.isArchived) continue;
      const recent = new RecentInChannel(now);
      if (yield* unlessLost(partOf(id), changesOf(pull, channel, { known, recent })))
        channels[id] = { at: now, ...recent.state, isPrivate, isArchived };
    } else {
      const begun =
        known?.next && known.isPrivate === isPrivate
          ? known
          : { at: now, days: [], threads: [], isPrivate, isArchived };
      const { at, isArchived: isOver } = begun;
      const recent = new RecentInChannel(at, begun);
      const items = wholeChannel({ ...pull, now: at }, channel, {
        page: begun.next ?? null,
        recent,
        isFull: false,
        markAt(next) {
          channels[id] = { ...begun, ...recent.state, next };
          return checkpoint({ channels: { ...channels } } satisfies SlackCursor);
        },
      });
      if (yield* unlessLost(partOf(id), items))
        channels[id] = { at, ...recent.state, isPrivate, isArchived: isOver };
    }
    yield checkpoint({ channels: { ...channels } } satisfies SlackCursor);
  }
  yield checkpoint({ channels } satisfies SlackCursor);
}

async function* changesOf(
  pull: SlackPull,
  channel: Channel,
  { known, recent }: { readonly known: ChannelState; readonly recent: RecentInChannel },
): SlackItems {
  const { days, threads } = recent;
  const first = firstDayOf(known.at);
  const oldest = Math.max(pull.oldest, first * DAY);
  const since = known.at - DAY;
  const asked = { oldest, from: null };
  for await (const { page } of historyAt(pull.reader.http, channel.id, asked))
    yield* itemsOf(pull, channel, { messages: page.messages, oldest, days, since, threads });
  for (const thread of known.threads)
    if (!threads.all.has(thread))
      yield* threadOf(pull.reader, pull.reader.placeOf(channel), { thread, threads });
  for (const day of new Set([...known.days, ...days]))
    if (day * DAY >= oldest) yield listed(dayPart(channel, day));
  for (const day of days) if (day < firstDayOf(pull.now)) days.delete(day);
}

interface ListedMessages {
  readonly messages: readonly MessageAnswer[];
  /** The listing has no messages from before this time. */
  readonly oldest: number;
  /** Threads without a reply since this time are not read. */
  readonly since: number;
  /** The days of the messages are added. */
  readonly days: Set<number>;
  readonly threads: ReadThreads;
}

async function* itemsOf(
  pull: SlackPull,
  channel: Channel,
  { messages, oldest, since, days, threads }: ListedMessages,
): SlackItems {
  const { reader } = pull;
  const place = reader.placeOf(channel);
  const older = new Set<string>();
  for (const message of messages) {
    const { ts, thread_ts } = message;
    // A reply comes with its thread, which the listing shows unless the thread began before it.
    if (isReply(message)) {
      if (Number(thread_ts) < oldest) older.add(thread_ts);
      continue;
    }
    days.add(dayOf(ts));
    yield* recordsOf(place, message, dayPart(channel, dayOf(ts)));
    const hasReplies = message.reply_count > 0 || thread_ts === ts;
    // A time that cannot be read may be a late one.
    if (hasReplies && !(Number(message.latest_reply || Infinity) < since))
      yield* threadOf(reader, place, { thread: ts, threads });
  }
  for (const thread of older) yield* threadOf(reader, place, { thread, threads });
}

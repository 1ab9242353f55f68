/**
 * Lists channels, whole or from a day on. A part is a day of a channel, or the replies of one thread. A pull that asks for
 * changes lists whole days, the last one and those of the week before, so it also finds edits and deletions there. Slack
 * tells neither, and it tells of a thread only the time of its latest reply.
 */
import { z } from 'zod';
import { bookmark, checkpoint, listed, type SourceItem, stub, upsert } from '../items.ts';
import { part, unlessLost } from '../kit/listing.ts';
import type { Channel, MessageAnswer } from './answer.ts';
import { historyAt, repliesAt } from './api.ts';
import type { CarriedSlackFile } from './files.ts';
import type { SlackReader } from './reader.ts';
import { type ChannelPlace, fileId, isGone, isOfSlack, isReply, ofMessage } from './records.ts';
import { SlackRefused } from './refusal.ts';

const DAY = 86_400;
const LOOK_BACK_DAYS = 7;

const ChannelState = z.strictObject({
  /** The channel was read at this time, in seconds since 1970. */
  at: z.number(),
  /** These days, in days since 1970, are those of the look-back that have messages. */
  days: z.array(z.number()),
  /** A channel that becomes private, or public, is read whole. */
  isPrivate: z.boolean(),
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
  page: z.string().nullable(),
});

export interface SlackPull {
  readonly reader: SlackReader;
  /** Older messages are not read. The default is 0, the whole history. */
  readonly oldest: number;
  readonly now: number;
}
type SlackItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

const partOf = (channel: string, ...inner: string[]): string =>
  [channel, ...inner].map((segment) => encodeURIComponent(segment)).join('/');
const dayOf = (ts: string): number => Math.floor(Number(ts) / DAY) || 0;
const dayPart = (channel: Channel, day: number): string => partOf(channel.id, String(day));

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
          page: null,
        }
      : SlackPosition.parse(interrupted);
  const { at, channels } = begun;
  let { left, days, page } = begun;
  for (const id of left) {
    const channel = reader.channels.find((one) => one.id === id);
    const recent = new Set(days);
    if (channel) {
      const items = wholeChannel({ ...pull, now: at }, channel, {
        page,
        recent,
        isFull: true,
        markAt: (next) =>
          bookmark({ at, channels: { ...channels }, left, days: [...recent], page: next }),
      });
      if (yield* unlessLost(partOf(id), items))
        channels[id] = { at, days: [...recent], isPrivate: channel.is_private };
    }
    left = left.slice(1);
    [days, page] = [[], null];
    yield bookmark({ at, channels: { ...channels }, left, days, page });
  }
  yield checkpoint({ channels } satisfies SlackCursor);
}

interface WholeChannel {
  readonly page: string | null;
  /** The days of the look-back that have messages are added. */
  readonly recent: Set<number>;
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
    yield* itemsOf(pull, channel, { messages: page.messages, oldest, days, since: 0 });
    for (const day of days) {
      if (isFull) yield listed(dayPart(channel, day));
      if (day >= firstDayOf(now)) recent.add(day);
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
    const { id, is_private: isPrivate } = channel;
    const known = channels[id];
    if (known && !known.next && known.isPrivate === isPrivate) {
      // Nothing changes in an archived channel.
      if (channel.is_archived) continue;
      const days = new Set<number>();
      if (yield* unlessLost(partOf(id), changesOf(pull, channel, { known, days })))
        channels[id] = { at: now, days: [...days], isPrivate };
    } else {
      const begun =
        known?.next && known.isPrivate === isPrivate ? known : { at: now, days: [], isPrivate };
      const recent = new Set(begun.days);
      const items = wholeChannel({ ...pull, now: begun.at }, channel, {
        page: begun.next ?? null,
        recent,
        isFull: false,
        markAt(next) {
          channels[id] = { ...begun, days: [...recent], next };
          return checkpoint({ channels: { ...channels } } satisfies SlackCursor);
        },
      });
      if (yield* unlessLost(partOf(id), items))
        channels[id] = { at: begun.at, days: [...recent], isPrivate };
    }
    yield checkpoint({ channels: { ...channels } } satisfies SlackCursor);
  }
  yield checkpoint({ channels } satisfies SlackCursor);
}

async function* changesOf(
  pull: SlackPull,
  channel: Channel,
  { known, days }: { readonly known: ChannelState; readonly days: Set<number> },
): SlackItems {
  const first = firstDayOf(known.at);
  const oldest = Math.max(pull.oldest, first * DAY);
  const since = known.at - DAY;
  const asked = { oldest, from: null };
  for await (const { page } of historyAt(pull.reader.http, channel.id, asked))
    yield* itemsOf(pull, channel, { messages: page.messages, oldest, days, since });
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
}

async function* itemsOf(
  pull: SlackPull,
  channel: Channel,
  { messages, oldest, since, days }: ListedMessages,
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
      yield* threadOf(reader, place, ts);
  }
  for (const thread of older) yield* threadOf(reader, place, thread);
}

async function* threadOf(reader: SlackReader, place: ChannelPlace, thread: string): SlackItems {
  const { id } = place.channel;
  const partition = partOf(id, String(dayOf(thread)), thread);
  yield* part(partition, repliesOf(reader, place, { thread, partition }));
}

async function* repliesOf(
  { http }: SlackReader,
  place: ChannelPlace,
  { thread, partition }: { readonly thread: string; readonly partition: string },
): SlackItems {
  try {
    // Each page of a thread begins with its first message.
    for await (const { page } of repliesAt(http, place.channel.id, thread))
      for (const message of page.messages)
        if (message.ts !== thread) yield* recordsOf(place, message, partition);
  } catch (error) {
    // The thread was deleted after the listing had shown it.
    if (!(error instanceof SlackRefused) || error.code !== 'thread_not_found') throw error;
  }
}

function* recordsOf(place: ChannelPlace, message: MessageAnswer, partition: string) {
  if (isOfSlack(message)) return;
  yield upsert(ofMessage(place, message), { partition });
  for (const file of message.files) {
    if (isGone(file)) continue;
    const carry: CarriedSlackFile = { place, message, file };
    const { name, title, mimetype, size, timestamp } = file;
    const url = file.url_private_download || file.url_private;
    const { channel, access } = place;
    const known = [
      name,
      title,
      mimetype,
      size,
      timestamp,
      url !== '',
      channel.name,
      access.viewers,
    ];
    const version = JSON.stringify(known);
    yield stub(fileId(channel, message, file), 'SlackFile', { version, partition, carry });
  }
}

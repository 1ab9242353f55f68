/** Makes items of messages with their files, and of threads. A part is a day of a channel, or the replies of one thread. */
import { remove, type SourceItem, stub, upsert } from '../items.ts';
import { part } from '../kit/listing.ts';
import type { Channel, MessageAnswer } from './answer.ts';
import { repliesAt } from './api.ts';
import type { CarriedSlackFile } from './files.ts';
import type { SlackReader } from './reader.ts';
import { type ChannelPlace, fileId, isGone, isOfSlack, ofMessage } from './records.ts';
import { SlackRefused } from './refusal.ts';

const DAY = 86_400;

export type SlackItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

export const partOf = (channel: string, ...inner: string[]): string =>
  [channel, ...inner].map((segment) => encodeURIComponent(segment)).join('/');
export const dayOf = (ts: string): number => Math.floor(Number(ts) / DAY) || 0;
export const dayPart = (channel: Channel, day: number): string => partOf(channel.id, String(day));

/**
 * The threads of a channel that a pull has read. A thread that loses its first message or its only reply is no longer
 * shown as one, so a cursor remembers the lively ones, which have a reply since a time, and the next pull reads them too.
 */
export interface ReadThreads {
  readonly all: Set<string>;
  readonly lively: Set<string>;
  /** It is in seconds since 1970. */
  readonly since: number;
}

export async function* threadOf(
  reader: SlackReader,
  place: ChannelPlace,
  { thread, threads }: { readonly thread: string; readonly threads: ReadThreads },
): SlackItems {
  const partition = partOf(place.channel.id, String(dayOf(thread)), thread);
  threads.all.add(thread);
  async function* replies(): SlackItems {
    try {
      // Each page of a thread begins with its first message.
      for await (const { page } of repliesAt(reader.http, place.channel.id, thread))
        for (const message of page.messages)
          if (message.ts !== thread) {
            // A time that cannot be read may be a late one.
            if (!(Number(message.ts) < threads.since)) threads.lively.add(thread);
            yield* recordsOf(place, message, partition);
          }
    } catch (error) {
      // The thread was deleted after a listing had shown it.
      if (!(error instanceof SlackRefused) || error.code !== 'thread_not_found') throw error;
    }
  }
  yield* part(partition, replies());
}

export function* recordsOf(place: ChannelPlace, message: MessageAnswer, partition: string) {
  if (isOfSlack(message)) return;
  const { channel, access } = place;
  yield upsert(ofMessage(place, message), { partition });
  for (const file of message.files) {
    const id = fileId(channel, message, file);
    if (isGone(file)) {
      // Not every listing ends with the deletion of what it lacks.
      yield remove(id);
      continue;
    }
    const carry: CarriedSlackFile = { place, message, file };
    const { name, title, mimetype, size, timestamp } = file;
    const url = file.url_private_download || file.url_private;
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
    yield stub(id, 'SlackFile', { version, partition, carry });
  }
}

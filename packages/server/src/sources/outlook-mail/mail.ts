/**
 * Reads the messages of mail folders (https://learn.microsoft.com/graph/api/message-delta).
 *
 * A message that moves is gone from one folder and new in another, under the same immutable id. So before a message is
 * removed, Graph is asked where it is now.
 */

import { tooMuchText } from '../../documents/kinds.ts';
import { digestOf } from '../../model/hash.ts';
import {
  type LeftOut,
  remove,
  type SourceItem,
  type Stub,
  skip,
  stub,
  type Upsert,
  upsert,
} from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import type { Http } from '../kit/http.ts';
import { NotFound } from '../kit/refusal.ts';
import { at, eachAtOnce } from '../microsoft/collection.ts';
import type { DeltaReader, DeltaReason } from '../microsoft/delta-pages.ts';
import type { CarriedRecord } from './attachments.ts';
import { IMMUTABLE, type MailPart, type OutlookConfig } from './mailboxes.ts';
import {
  isWhole,
  MESSAGE,
  messageId,
  OutlookMessage,
  SELECT,
  timeOf,
  toEntity,
} from './message.ts';
import type { ReadFolders } from './read-folders.ts';

/** A change of the version makes the next full sync read all messages again. */
const RECORD_VERSION = 'outlook-1';
/** Messages come with their texts, so a page of long ones is asked for again in smaller pages. */
const PAGES = [100, 10, 1].map((size) => ({
  prefer: `${IMMUTABLE.prefer}, odata.maxpagesize=${size}`,
}));

export function openMail(
  http: Http,
  { isRead, partsIn }: ReadFolders,
  { after_date }: Pick<OutlookConfig, 'after_date'>,
): DeltaReader<MailPart, OutlookMessage> {
  const after = after_date === undefined ? 0 : Date.parse(after_date);

  /** Returns null for a message that is gone from everything that is read. */
  async function messageOf(part: MailPart, told: OutlookMessage): Promise<OutlookMessage | null> {
    if (!told['@removed'] && isWhole(told)) return told;
    const found = await messageAt(http, part.place.userId, told.id);
    return found && (await isRead(part, found.parentFolderId ?? '')) ? found : null;
  }

  async function recordsOf(
    part: MailPart,
    told: OutlookMessage,
    reason: DeltaReason,
  ): Promise<SourceItem[]> {
    const { userId } = part.place;
    const message = await messageOf(part, told);
    const gone = remove(messageId(part.place, told.id));
    if (!message) return [gone];
    // The feed of the other folder tells a message that has moved to it, in this pull or in the next one.
    if (told['@removed']) return [];
    if ((timeOf(message.receivedDateTime)?.getTime() ?? after) < after)
      return reason === 'feed' ? [gone] : [];
    const entity = toEntity(message, part.place);
    const { partition } = part;
    const carry: CarriedRecord = { entity, path: at`users/${userId}/messages/${told.id}` };
    const version = digestOf([RECORD_VERSION, entity]);
    // The version does not tell when only a file has changed, but then the feed names the message.
    const isAgain = reason !== 'listing';
    const hasBelow = message.hasAttachments === true;
    return [stub(entity.id, MESSAGE, { version, partition, carry, hasBelow, isAgain })];
  }

  return {
    http,
    headers: PAGES,
    item: OutlookMessage,
    partsIn,
    async *read(part, messages, reason) {
      const records = (message: OutlookMessage) => recordsOf(part, message, reason);
      for (const items of await eachAtOnce(messages, records)) yield* items;
    },
  };
}

/** Returns undefined for a message that is gone. */
async function messageAt(
  http: Http,
  userId: string,
  id: string,
): Promise<OutlookMessage | undefined> {
  const path = at`users/${userId}/messages/${id}`;
  try {
    const request = { path, query: { $select: SELECT }, headers: IMMUTABLE };
    return (await http.json(request, OutlookMessage)).value;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** The listing has the text of messages already. Only files are asked for. */
export async function contentOf(http: Http, found: Stub): Promise<Upsert | LeftOut> {
  const { id, type, version, partition } = found;
  const { entity, path } = found.carry as CarriedRecord;
  const omission = tooMuchText(entity.text);
  if (omission) return skip(id, type, { ...omission, removes: 'record' });
  if (type === MESSAGE) return upsert(entity, { version, partition });
  return fileOrSkip(found, { service: 'Microsoft' }, async () => {
    const size = entity.fields.size as number | null;
    const file = await http.file(
      { path, headers: IMMUTABLE },
      { name: entity.name, size: size ?? undefined },
    );
    return upsert({ ...entity, file }, { version, partition });
  });
}

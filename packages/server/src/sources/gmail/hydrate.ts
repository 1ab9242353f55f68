/** Reads the records behind stubs: messages whose stored record is not up to date, and files. */

import { SourceError } from '../../errors.ts';
import type { LeftOut, Stub, Upsert } from '../items.ts';
import { upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { eachOf } from '../kit/listing.ts';
import { messageOf, OldAttachment } from './api.ts';
import {
  attachmentPath,
  type CarriedMessage,
  dataOf,
  messageItem,
  type ReadMessage,
  readParts,
  textItem,
  toFile,
} from './record.ts';

/** At Gmail, one person may have several requests under way, and is slowed down by many. */
export const CONCURRENCY = 4;

export function hydrate(http: Http, stubs: readonly Stub[]): AsyncIterable<Upsert | LeftOut> {
  /** The files of one message need it only once. */
  const reading = new Map<string, Promise<ReadMessage>>();

  function read({ owner, id, read: known }: CarriedMessage): Promise<ReadMessage> {
    if (known) return Promise.resolve(known);
    const key = keyOf({ owner, id });
    const found = reading.get(key) ?? readMessage(http, owner.user, id);
    reading.set(key, found);
    return found;
  }

  return eachOf(stubs, CONCURRENCY, async (one) => {
    const { part, ...carried } = one.carry as CarriedMessage;
    if (part === null) return messageItem(http, carried.owner, await read({ ...carried, part }));
    const readFile = async (known: ReadMessage | undefined) => {
      const { owner, id } = carried;
      const message = await read({ owner, id, part, ...(known && { read: known }) });
      return fileItem(http, one, { owner, part, message });
    };
    try {
      return await readFile(carried.read);
    } catch (error) {
      if (!(error instanceof OldAttachment)) throw error;
      reading.delete(keyOf(carried));
      return readFile(undefined);
    }
  });
}

const keyOf = ({ owner, id }: Pick<CarriedMessage, 'owner' | 'id'>): string =>
  JSON.stringify([owner.email, id]);

async function readMessage(http: Http, user: string, id: string): Promise<ReadMessage> {
  const message = await messageOf({ http, user }, id);
  if (!message) throw gone();
  return readParts(message);
}

const gone = () =>
  new SourceError('skip', 'the message was deleted while the sync ran', {
    hint: 'The next sync removes it.',
  });

interface FileOfMessage extends Pick<CarriedMessage, 'owner'> {
  readonly part: string;
  readonly message: ReadMessage;
}

async function fileItem(
  http: Http,
  { version, partition }: Stub,
  { owner, part, message }: FileOfMessage,
): Promise<Upsert | LeftOut> {
  const file = message.parts.files.find((one) => one.part === part);
  if (!file) throw gone();
  const entity = toFile(owner, message, file);
  if (file.message) return textItem(http, { owner, read: message, entity, texts: file.message });
  const at = { owner, read: message, part };
  const path = attachmentPath(at);
  const { name, size } = file;
  const content =
    path === null
      ? await http.keep(dataOf(at), { name, size })
      : await http.file({ path, base64In: 'data' }, { name, size });
  return upsert({ ...entity, file: content }, { version, partition });
}

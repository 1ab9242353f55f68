/** Shows messages as Gmail does, in each format. Attachments have another id in each answer. */
import { randomUUID } from 'node:crypto';
import {
  type GmailHeader,
  type GmailMail,
  type GmailPart,
  headersOfPart,
  pathOf,
  rawOf,
  sentBytes,
  sentValue,
  textsOf,
} from './gmail-mime.ts';
import type { GmailSettings } from './gmail-settings.ts';
import type { GmailLabel, GmailMailbox, GmailMessage } from './gmail-world.ts';

/** Objects of Gmail have the form of its document, which checks each answer. */
export type GmailRow = Record<string, any>;
const SNIPPET_LENGTH = 200;
const ID_START = 'ANGjdJ8';

/** Gmail fills the text up with equals signs. */
const base64url = (bytes: Buffer): string =>
  bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');

interface AttachmentPlace {
  readonly messageId: string;
  readonly path: string;
}

export function makeGmailShapes(settings: GmailSettings) {
  const attachments = new Map<string, AttachmentPlace>();

  function attachmentId(messageId: string, path: string): string {
    const id = `${ID_START}${randomUUID()}_-${randomUUID().replaceAll('-', '')}`;
    attachments.set(id, { messageId, path });
    return id;
  }

  const shownHeader = (header: GmailHeader): GmailRow => ({
    name: header.name,
    value: settings.decodesHeaders ? header.value : sentValue(header).replaceAll('\r\n', ''),
  });

  function shownBytes(part: GmailPart, path: string): Buffer {
    const isText = part.mimeType.startsWith('text/') && typeof part.content === 'string';
    return isText && settings.decodesTexts
      ? Buffer.from(String(part.content))
      : sentBytes(part, path);
  }

  function body(messageId: string, part: GmailPart, path: string): GmailRow {
    if (part.parts) return { size: 0 };
    const bytes = shownBytes(part, path);
    const isInline = part.filename === undefined && bytes.length <= settings.inlineBytes;
    return {
      size: bytes.length,
      ...(isInline
        ? // A part without a content has no data.
          bytes.length > 0 && { data: base64url(bytes) }
        : { attachmentId: attachmentId(messageId, path) }),
    };
  }

  /** `headers` are those of the message when the part is its whole body. */
  function shownPart(
    messageId: string,
    part: GmailPart,
    { path, headers = [] }: { path: string; headers?: readonly GmailHeader[] },
  ): GmailRow {
    const inner = part.mail
      ? [
          shownPart(messageId, part.mail.body, {
            path: pathOf(path, 0),
            headers: part.mail.headers,
          }),
        ]
      : part.parts?.map((one, i) => shownPart(messageId, one, { path: pathOf(path, i) }));
    return {
      partId: path,
      mimeType: part.mimeType,
      filename: part.filename ?? '',
      headers: [...headers, ...headersOfPart(part, path)].map(shownHeader),
      body: body(messageId, part, path),
      ...(inner && { parts: inner }),
    };
  }

  const snippet = ({ mail }: GmailMessage): string =>
    textsOf(mail.body)
      .join(' ')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll('&amp;', '&')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, SNIPPET_LENGTH)
      .replaceAll('&', '&amp;')
      .replaceAll("'", '&#39;');

  function metadata(mail: GmailMail, names: readonly string[]): GmailRow {
    const wanted = names.map((name) => name.toLowerCase());
    const { mimeType } = mail.body;
    const headers = [...mail.headers, ...headersOfPart(mail.body, '')]
      .filter(({ name }) => wanted.length === 0 || wanted.includes(name.toLowerCase()))
      .map(shownHeader);
    return { mimeType, ...(headers.length > 0 && { headers }) };
  }

  return {
    message(message: GmailMessage, format: string, names: readonly string[] = []): GmailRow {
      const { id, threadId, labels, mail, historyId, internalDate } = message;
      return {
        id,
        threadId,
        ...(labels.size > 0 && { labelIds: [...labels] }),
        snippet: snippet(message),
        ...(format === 'full' && {
          payload: shownPart(id, mail.body, { path: '', headers: mail.headers }),
        }),
        ...(format === 'metadata' && { payload: metadata(mail, names) }),
        ...(format === 'raw' && { raw: base64url(rawOf(mail)) }),
        sizeEstimate: rawOf(mail).length,
        historyId: String(historyId),
        internalDate: String(internalDate),
      };
    },
    snippet,
    label: ({ id, name, type }: GmailLabel): GmailRow => ({
      id,
      name,
      type,
      ...(type === 'user' && { messageListVisibility: 'show', labelListVisibility: 'labelShow' }),
    }),
    /** Returns undefined when the message has no such attachment. */
    attachment({ messages }: GmailMailbox, messageId: string, id: string): GmailRow | undefined {
      const place = attachments.get(id);
      const message = messages.get(messageId);
      if (!message || place?.messageId !== messageId) return undefined;
      const part = partAt(message.mail.body, place.path);
      const bytes = part && shownBytes(part, place.path);
      return bytes && { size: bytes.length, data: base64url(bytes) };
    },
    forgetAttachments: () => attachments.clear(),
  };
}

function partAt(part: GmailPart, path: string): GmailPart | undefined {
  if (path === '') return part;
  const [, first = '', rest = ''] = /^(\d+)\.?(.*)$/.exec(path) ?? [];
  const inner = part.mail ? part.mail.body : part.parts?.[Number(first)];
  return inner && partAt(inner, rest);
}

/** Shows folders, messages and attachments of Outlook as Microsoft Graph does. */
import type {
  GraphAddress,
  GraphAttachment,
  GraphMailbox,
  GraphMailFolder,
  GraphMessage,
} from './graph-mail-records.ts';
import type { GraphRow } from './graph-refusal.ts';

/** How a request wants its messages. */
export interface GraphMailForm {
  readonly isImmutable: boolean;
  readonly bodyType: string | undefined;
}

const recipient = ({ name, address }: GraphAddress) => ({ emailAddress: { name, address } });
const recipients = (all: readonly GraphAddress[]) => all.map(recipient);
const plain = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll('&amp;', '&');

export const idOf = (
  { id, immutableId }: Pick<GraphMessage, 'id' | 'immutableId'>,
  { isImmutable }: Pick<GraphMailForm, 'isImmutable'>,
): string => (isImmutable ? immutableId : id);

function bodyOf({ body, bodyType }: GraphMessage, wanted: string | undefined): GraphRow {
  if (body === null || wanted === undefined || wanted === bodyType)
    return { contentType: bodyType, content: body };
  return wanted === 'text'
    ? { contentType: 'text', content: plain(body) }
    : { contentType: 'html', content: `<html><body><pre>${body}</pre></body></html>` };
}

export function messageRow(message: GraphMessage, form: GraphMailForm): GraphRow {
  const { body, from, attachments, version, bodyType } = message;
  const text = body !== null && bodyType === 'html' ? plain(body) : body;
  const id = idOf(message, form);
  const changeKey = `CQAAABYAAAB${version}`;
  return {
    ...(message.isInvitation && { '@odata.type': '#microsoft.graph.eventMessageRequest' }),
    '@odata.etag': `W/"${changeKey}"`,
    id,
    createdDateTime: message.createdAt,
    lastModifiedDateTime: message.modifiedAt,
    changeKey,
    categories: [...message.categories],
    receivedDateTime: message.receivedAt,
    sentDateTime: message.sentAt,
    hasAttachments: attachments.some(({ isInline }) => !isInline),
    internetMessageId: `<${message.immutableId}@acme.example>`,
    subject: message.subject,
    bodyPreview: text?.slice(0, 255) ?? '',
    importance: 'normal',
    parentFolderId: message.folder,
    conversationId: message.conversation,
    conversationIndex: null,
    isDeliveryReceiptRequested: null,
    isReadReceiptRequested: false,
    isRead: message.isRead,
    isDraft: message.isDraft,
    webLink: `https://outlook.office365.example/owa/?ItemID=${encodeURIComponent(id)}`,
    inferenceClassification: 'focused',
    body: bodyOf(message, form.bodyType),
    sender: from && recipient(from),
    from: from && recipient(from),
    toRecipients: recipients(message.to),
    ccRecipients: recipients(message.cc),
    bccRecipients: [],
    replyTo: [],
    flag: { flagStatus: 'notFlagged' },
  };
}

export function folderRow({ messages, folders }: GraphMailbox, folder: GraphMailFolder): GraphRow {
  const inside = messages.filter((one) => one.folder === folder.id);
  const below = [...folders.values()].filter((one) => one.parent === folder.id && !one.isGone);
  return {
    id: folder.id,
    displayName: folder.name,
    parentFolderId: folder.parent,
    childFolderCount: below.length,
    unreadItemCount: inside.filter(({ isRead }) => !isRead).length,
    totalItemCount: inside.length,
    isHidden: folder.isHidden,
  };
}

export function attachmentRow(attachment: GraphAttachment, modifiedAt: string): GraphRow {
  const { id, kind, name, contentType, content, claimedSize, isInline, contentId } = attachment;
  return {
    '@odata.type': `#microsoft.graph.${kind}Attachment`,
    id,
    lastModifiedDateTime: modifiedAt,
    name,
    contentType: kind === 'file' ? contentType : null,
    size: claimedSize ?? Buffer.byteLength(content),
    isInline,
    ...(kind === 'file' && {
      contentId,
      contentLocation: null,
      contentBytes: Buffer.from(content).toString('base64'),
    }),
  };
}

/** Returns the message as it would travel. */
export function mimeOf({ subject, from, to, body, bodyType, sentAt }: GraphMessage): string {
  const address = (one: GraphAddress) => `${one.name ?? ''} <${one.address ?? ''}>`;
  return [
    `From: ${from ? address(from) : ''}`,
    `To: ${to.map(address).join(', ')}`,
    `Subject: ${subject ?? ''}`,
    ...(sentAt === null ? [] : [`Date: ${new Date(sentAt).toUTCString()}`]),
    'MIME-Version: 1.0',
    `Content-Type: text/${bodyType === 'text' ? 'plain' : 'html'}; charset=utf-8`,
    '',
    body ?? '',
  ].join('\r\n');
}

/** Finds the mailbox, the folder and the message that a request asks for, and refuses what it may not have. */
import type { PeerRequest } from './cloud-peer.ts';
import type { GraphUser } from './graph-directory.ts';
import type { GraphAsked, GraphParts } from './graph-handlers.ts';
import type { GraphMailbox, GraphMailFolder, GraphMessage } from './graph-mail-records.ts';
import type { GraphMailForm } from './graph-mail-shapes.ts';
import type { GraphMailWorld } from './graph-mail-world.ts';
import { readPrefer } from './graph-query.ts';
import { deny, refuse } from './graph-refusal.ts';

export const OF_MAIL = ['Mail.Read', 'Mail.ReadWrite'];
export const OF_PERSON = 'GET /v1.0/users/{user-id}';
const PREFER = [
  'IdType',
  'odata.maxpagesize',
  'outlook.allow-unsafe-html',
  'outlook.body-content-type',
  'outlook.timezone',
];

export interface GraphMailParts extends GraphParts {
  readonly world: GraphMailWorld;
}

export function makeMailAccess({ world, directory, settings }: GraphMailParts) {
  const noMail = (): never =>
    refuse(
      '404 ErrorItemNotFound',
      'The specified object was not found in the store., The process failed to get the correct properties.',
    );

  function mailboxAt(me: GraphUser | null, key: string): GraphMailbox {
    const user = directory.userOf(key);
    if (!user) return refuse('404 ErrorInvalidUser', `The requested user '${key}' is invalid.`);
    if ((me !== null && me !== user) || settings.forbidden.has(user.id)) deny('mail');
    if (!user.hasMailbox)
      refuse(
        '404 MailboxNotEnabledForRESTAPI',
        'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
      );
    return world.mailboxOf(user);
  }
  function folderAt(mailbox: GraphMailbox, key: string): GraphMailFolder {
    const folder = world.folderOf(mailbox, key);
    if (!folder && !key.startsWith('A')) refuse('400 ErrorInvalidIdMalformed', 'Id is malformed.');
    if (!folder) return noMail();
    if (settings.forbidden.has(folder.id)) deny('mail');
    return folder;
  }
  function messageAt({ me, names: [user = '', key = ''] }: GraphAsked): GraphMessage {
    const { messages } = mailboxAt(me, user);
    const message = messages.find(({ id, immutableId }) => id === key || immutableId === key);
    if (!message) return noMail();
    if (settings.forbidden.has(message.folder)) deny('mail');
    return message;
  }
  function formOf(request: PeerRequest): GraphMailForm & { readonly size: number | undefined } {
    const prefer = readPrefer(request, { prefer: PREFER });
    const size = prefer.get('odata.maxpagesize');
    return {
      isImmutable: prefer.get('idtype') === 'ImmutableId',
      bodyType: prefer.get('outlook.body-content-type'),
      size: size === undefined ? undefined : Number(size),
    };
  }

  return { noMail, mailboxAt, folderAt, messageAt, formOf };
}

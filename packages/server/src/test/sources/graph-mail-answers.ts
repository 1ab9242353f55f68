/** Answers the operations of Microsoft Graph for mail. */
import type { PeerAnswer } from './cloud-peer.ts';
import { type GraphAsked, type GraphHandlers, ok, oneOf } from './graph-handlers.ts';
import { type GraphMailParts, makeMailAccess, OF_MAIL, OF_PERSON } from './graph-mail-access.ts';
import type { GraphMailbox, GraphMailFolder, GraphMessage } from './graph-mail-records.ts';
import { folderRow, type GraphMailForm, idOf, messageRow, mimeOf } from './graph-mail-shapes.ts';
import type { GraphChange } from './graph-paging.ts';
import { filterOf, type GraphQuery, readQuery, selected } from './graph-query.ts';
import type { GraphRow } from './graph-refusal.ts';

/** An app that has only these permissions gets messages without bodies and attachments. */
const OF_HEADS = [...OF_MAIL, 'Mail.ReadBasic', 'Mail.ReadBasic.All'];
const OF_LISTS = ['$select', '$top', '$filter', '$orderby'];
const BODY = ['body', 'bodyPreview', 'uniqueBody'];

export function makeMailAnswers(parts: GraphMailParts): GraphHandlers {
  const { settings, pager } = parts;
  const { mailboxAt, folderAt, messageAt, formOf } = makeMailAccess(parts);

  function shown(message: GraphMessage, form: GraphMailForm, { select }: GraphQuery): GraphRow {
    const row = messageRow(message, form);
    if (!OF_MAIL.some((one) => settings.permissions.has(one)))
      for (const name of BODY) delete row[name];
    const headers = { internetMessageHeaders: [{ name: 'X-Spam', value: 'no' }] };
    return selected({ ...row, ...(select && { uniqueBody: row.body, ...headers }) }, select, [
      'id',
    ]);
  }
  /** Says which preferences the answer follows. */
  const applied = (answer: PeerAnswer, { bodyType }: GraphMailForm): PeerAnswer =>
    bodyType === undefined
      ? answer
      : {
          ...answer,
          headers: {
            ...answer.headers,
            'preference-applied': `outlook.body-content-type="${bodyType}"`,
          },
        };

  const folders = (
    isListed: (folder: GraphMailFolder, mailbox: GraphMailbox, key: string) => boolean,
  ) => ({
    part: 'mail' as const,
    needs: OF_HEADS,
    answer({ request, me, names: [user = '', key = ''] }: GraphAsked) {
      const mailbox = mailboxAt(me, user);
      const above = key === '' ? mailbox.rootId : folderAt(mailbox, key).id;
      formOf(request);
      return ok(
        pager.list(request, {
          allowed: { query: ['$select', '$top', 'includeHiddenFolders'] },
          usual: 10,
          rows: ({ all }) =>
            [...mailbox.folders.values()]
              .filter(
                (one) => !one.isGone && (!one.isHidden || all.includeHiddenFolders === 'true'),
              )
              .filter((one) => isListed(one, mailbox, above))
              .map((one) => ({
                key: one.id,
                row: ({ select }) => selected(folderRow(mailbox, one), select, ['id']),
              })),
        }),
      );
    },
  });
  const messages = (of: (mailbox: GraphMailbox, key: string) => GraphMessage[]) => ({
    part: 'mail' as const,
    needs: OF_HEADS,
    answer({ request, me, names: [user = '', key = ''] }: GraphAsked) {
      const form = formOf(request);
      const mailbox = mailboxAt(me, user);
      const listed = of(mailbox, key);
      const page = pager.list(request, {
        allowed: { query: OF_LISTS, mostTop: 1000 },
        usual: 10,
        size: form.size,
        rows: ({ filter, order }) =>
          listed
            .filter((one) => filterOf(filter)(messageRow(one, form)))
            .toSorted((a, b) => {
              const [name = '', way] = (order ?? 'receivedDateTime desc').split(' ');
              const key = (one: GraphMessage) => String(messageRow(one, form)[name]);
              const isLess = key(a) < key(b);
              return key(a) === key(b) ? 0 : isLess === (way === 'desc') ? 1 : -1;
            })
            .map((one) => ({ key: one.immutableId, row: (query) => shown(one, form, query) })),
      });
      return applied(ok(page), form);
    },
  });

  function changesIn(mailbox: GraphMailbox, folder: GraphMailFolder, form: GraphMailForm) {
    return ({ filter }: GraphQuery): GraphChange[] => {
      const present = mailbox.messages
        .filter((one) => one.folder === folder.id && filterOf(filter)(messageRow(one, form)))
        .map((one) => ({
          seq: one.seq,
          isGone: false,
          row(query: GraphQuery) {
            const row = shown(one, form, query);
            if (!one.isReadAlone || !settings.readFlagsAlone) return row;
            return { '@odata.etag': row['@odata.etag'], id: row.id, isRead: true };
          },
          older: (query: GraphQuery) =>
            shown({ ...one, subject: 'Before', version: 0 }, form, query),
        }));
      const gone = mailbox.removals
        .filter((one) => one.folder === folder.id)
        .map((one) => ({
          seq: one.seq,
          isGone: true,
          row: () => ({ id: idOf(one, form), '@removed': { reason: one.reason } }),
        }));
      return [...present, ...gone].toSorted((a, b) => a.seq - b.seq);
    };
  }

  return {
    [`${OF_PERSON}/mailFolders`]: folders(({ parent }, { rootId }) => parent === rootId),
    [`${OF_PERSON}/mailFolders/{mailFolder-id}/childFolders`]: folders(
      ({ parent }, _, key) => parent === key,
    ),
    [`${OF_PERSON}/mailFolders/{mailFolder-id}`]: {
      part: 'mail',
      needs: OF_HEADS,
      answer({ request, me, names: [user = '', key = ''] }) {
        const mailbox = mailboxAt(me, user);
        formOf(request);
        return oneOf(request, folderRow(mailbox, folderAt(mailbox, key)));
      },
    },
    [`${OF_PERSON}/mailFolders/microsoft.graph.delta()`]: {
      part: 'mail',
      needs: OF_HEADS,
      answer({ request, me, names: [user = ''] }) {
        const { size } = formOf(request);
        const mailbox = mailboxAt(me, user);
        const changes = () =>
          [...mailbox.folders.values()]
            .filter(({ isHidden }) => !isHidden)
            .toSorted((a, b) => a.seq - b.seq)
            .map((one) => ({
              seq: one.seq,
              isGone: one.isGone,
              row: ({ select }: GraphQuery) =>
                one.isGone
                  ? { id: one.id, '@removed': { reason: 'deleted' } }
                  : selected(folderRow(mailbox, one), select, ['id']),
            }));
        const allowed = { query: ['$select', '$top'] };
        return ok(pager.delta(request, { allowed, changes, size, isDrive: false }));
      },
    },
    [`${OF_PERSON}/messages`]: messages((mailbox) => mailbox.messages),
    [`${OF_PERSON}/mailFolders/{mailFolder-id}/messages`]: messages((mailbox, key) => {
      const { id } = folderAt(mailbox, key);
      return mailbox.messages.filter(({ folder }) => folder === id);
    }),
    [`${OF_PERSON}/mailFolders/{mailFolder-id}/messages/microsoft.graph.delta()`]: {
      part: 'mail',
      needs: OF_HEADS,
      answer({ request, me, names: [user = '', key = ''] }) {
        const form = formOf(request);
        const mailbox = mailboxAt(me, user);
        const changes = changesIn(mailbox, folderAt(mailbox, key), form);
        const allowed = { query: OF_LISTS, mostTop: 1000 };
        const { size } = form;
        const page = pager.delta(request, { allowed, changes, size, isDrive: false });
        return applied(ok(page), form);
      },
    },
    [`${OF_PERSON}/messages/{message-id}`]: {
      part: 'mail',
      needs: OF_HEADS,
      answer(asked) {
        const form = formOf(asked.request);
        const message = messageAt(asked);
        const query = readQuery(asked.request, { query: ['$select'] });
        return applied(ok(shown(message, form, query)), form);
      },
    },
    [`${OF_PERSON}/messages/{message-id}/$value`]: {
      part: 'mail',
      needs: OF_MAIL,
      answer: (asked) => ({
        status: 200,
        headers: { 'content-type': 'text/plain' },
        body: mimeOf(messageAt(asked)),
      }),
    },
  };
}

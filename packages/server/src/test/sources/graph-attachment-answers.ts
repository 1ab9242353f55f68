/** Answers the operations of Microsoft Graph for attachments of mail. */
import { type GraphHandlers, ok, oneOf } from './graph-handlers.ts';
import { type GraphMailParts, makeMailAccess, OF_MAIL, OF_PERSON } from './graph-mail-access.ts';
import { attachmentRow } from './graph-mail-shapes.ts';
import { filterOf, selected } from './graph-query.ts';
import { refuse } from './graph-refusal.ts';

export function makeAttachmentAnswers(parts: GraphMailParts): GraphHandlers {
  const { pager } = parts;
  const { noMail, messageAt, formOf } = makeMailAccess(parts);

  return {
    [`${OF_PERSON}/messages/{message-id}/attachments`]: {
      part: 'mail',
      needs: OF_MAIL,
      answer(asked) {
        const { attachments, modifiedAt } = messageAt(asked);
        formOf(asked.request);
        return ok(
          pager.list(asked.request, {
            allowed: { query: ['$select', '$top', '$filter'] },
            rows: ({ filter }) =>
              attachments
                .map((one) => attachmentRow(one, modifiedAt))
                .filter(filterOf(filter))
                .map((row) => ({
                  key: row.id,
                  row: ({ select }) => selected(row, select, ['id']),
                })),
          }),
        );
      },
    },
    [`${OF_PERSON}/messages/{message-id}/attachments/{attachment-id}`]: {
      part: 'mail',
      needs: OF_MAIL,
      answer(asked) {
        const { modifiedAt, attachments } = messageAt(asked);
        const attachment = attachments.find(({ id }) => id === asked.names[2]) ?? noMail();
        formOf(asked.request);
        if (!asked.request.url.pathname.endsWith('/$value'))
          return oneOf(asked.request, attachmentRow(attachment, modifiedAt));
        const { kind, contentType, content } = attachment;
        if (kind === 'reference')
          refuse('405 ErrorInvalidRequest', 'A reference attachment has no value.');
        const type = kind === 'file' ? contentType : 'text/plain';
        return {
          status: 200,
          headers: { 'content-type': type ?? 'application/octet-stream' },
          body: content,
        };
      },
    },
  };
}

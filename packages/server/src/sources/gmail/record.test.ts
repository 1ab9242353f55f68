/** Tests how the parts of a message at Gmail become records. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Stub, Upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { Message } from './answer.ts';
import { fileId, itemsOf, messageId, partitionOf, readParts } from './record.ts';

const OWNER = { user: 'me', email: 'ann@acme.example', names: { INBOX: 'INBOX', L1: 'Work' } };
const data = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const header = (name: string, value: string) => ({ name, value });

interface GivenPart {
  readonly partId?: string;
  readonly mimeType: string;
  readonly filename?: string;
  readonly headers?: readonly { name: string; value: string }[];
  readonly body?: object;
  readonly parts?: readonly GivenPart[];
}
const textPart = (partId: string, mimeType: string, text: string | Buffer, more: object = {}) => ({
  partId,
  mimeType,
  body: { size: Buffer.from(text).length, data: data(text) },
  ...more,
});
const filePart = (partId: string, mimeType: string, filename: string, more: object = {}) => ({
  partId,
  mimeType,
  filename,
  body: { size: 10, attachmentId: `at-${partId}` },
  ...more,
});

async function records(payload: GivenPart, more: object = {}) {
  const message = Message.parse({
    id: '18c',
    threadId: '18a',
    internalDate: '1700000000000',
    payload,
    ...more,
  });
  const items = await itemsOf({} as Http, OWNER, readParts(message));
  const [first, ...files] = items as [Upsert, ...Stub[]];
  return { entity: first.entity, files, message, items };
}

describe('the records of a message', () => {
  it('have its text, its people, its labels by name, and are found by its owner alone', async () => {
    const { entity } = await records(
      textPart('', 'text/plain', 'The heron waits.', {
        headers: [
          header('From', '"Miller, Ann" <ann@acme.example>'),
          header('To', 'bob@acme.example, Carl <carl@acme.example>'),
          header('Subject', 'Re: =?utf-8?q?Gr=C3=BC=C3=9Fe?='),
          header('Message-ID', '<1@acme.example>'),
          header('Date', 'Tue, 14 Nov 2023 22:00:00 +0000'),
          header('Content-Type', 'text/plain; charset=utf-8'),
        ],
      }),
      { labelIds: ['UNREAD', 'L1', 'INBOX', 'L9'] },
    );
    assert.equal(entity.id, 'ann@acme.example/18c');
    assert.equal(entity.name, 'Re: Grüße');
    assert.equal(entity.text, 'The heron waits.');
    assert.deepEqual(entity.access, { viewers: ['user:ann@acme.example'], isPublic: false });
    assert.deepEqual(
      entity.breadcrumbs?.map(({ name }) => name),
      ['ann@acme.example', 'Grüße'],
    );
    assert.deepEqual(entity.fields, {
      from: ['Miller, Ann <ann@acme.example>'],
      to: ['bob@acme.example', 'Carl <carl@acme.example>'],
      cc: [],
      message_id: '<1@acme.example>',
      in_reply_to: null,
      thread_id: '18a',
      labels: ['INBOX', 'L9', 'Work'],
      received_at: '2023-11-14T22:13:20.000Z',
      protection: null,
    });
    assert.equal(entity.createdAt?.toISOString(), '2023-11-14T22:00:00.000Z');
  });

  it('take the HTML of alternatives, and files with the names that senders gave', async () => {
    const { entity, files, items } = await records({
      mimeType: 'multipart/mixed',
      parts: [
        {
          partId: '0',
          mimeType: 'multipart/alternative',
          parts: [
            textPart('0.0', 'text/plain', 'plain'),
            textPart('0.1', 'text/html', '<h1>Plan</h1>'),
          ],
        },
        filePart('1', 'application/pdf', '../plan.pdf'),
        filePart('2', 'image/png', 'photo.png', {
          headers: [header('Content-Disposition', 'attachment; filename=photo.png')],
        }),
        filePart('3', 'image/gif', 'logo.gif', { headers: [header('Content-ID', '<logo>')] }),
      ],
    });
    assert.equal(entity.html, '<h1>Plan</h1>');
    assert.deepEqual(
      files.map(({ kind, id }) => [kind, id]),
      [
        ['stub', 'ann@acme.example/18c/1'],
        ['skip', 'ann@acme.example/18c/2'],
      ],
    );
    assert.equal(items.length, 3);
  });

  it('read each text by its charset, which Gmail has mostly replaced by UTF-8', async () => {
    const text = async (bytes: Buffer, charset: string) => {
      const { entity } = await records(
        textPart('', 'text/plain', bytes, {
          headers: [header('Content-Type', `text/plain; charset="${charset}"`)],
        }),
      );
      return entity.text;
    };
    assert.equal(await text(Buffer.from('Грач'), 'koi8-r'), 'Грач');
    assert.equal(await text(Buffer.from([0xe7, 0xd2, 0xc1, 0xde]), 'koi8-r'), 'Грач');
    assert.equal(await text(Buffer.from('\x1b$BF|K\\\x1b(B', 'latin1'), 'iso-2022-jp'), '日本');
  });

  it('have the text of attached messages as files, and the files in these', async () => {
    const inner = {
      partId: '1.0',
      mimeType: 'multipart/mixed',
      headers: [header('Subject', 'The inner one')],
      parts: [
        textPart('1.0.0', 'text/plain', 'inner text'),
        filePart('1.0.1', 'text/csv', 'a.csv'),
      ],
    };
    const { files } = await records({
      mimeType: 'multipart/mixed',
      parts: [
        textPart('0', 'text/plain', 'outer'),
        {
          partId: '1',
          mimeType: 'message/rfc822',
          filename: '',
          body: { size: 99 },
          parts: [inner],
        },
        {
          partId: '2',
          mimeType: 'message/rfc822',
          parts: [
            textPart('2.0', 'text/plain', 'only text', { headers: [header('Subject', 'S')] }),
          ],
        },
      ],
    });
    assert.deepEqual(
      files.map(({ id }) => id),
      ['1', '1.0.1', '2'].map((part) => `ann@acme.example/18c/${part}`),
    );
  });

  it('have no text when the message is encrypted, and no date when Gmail gives none', async () => {
    const { entity } = await records(
      textPart('', 'application/pkcs7-mime', 'secret', {
        headers: [header('Content-Type', 'application/pkcs7-mime; smime-type=enveloped-data')],
      }),
      { internalDate: '99999999999999999' },
    );
    assert.equal(entity.text, '');
    assert.equal(entity.fields.protection, 'encrypted');
    assert.deepEqual([entity.createdAt, entity.fields.received_at], [undefined, null]);
    const empty = await itemsOf({} as Http, OWNER, readParts(Message.parse({ id: 'x' })));
    assert.equal(empty.length, 1);
  });

  it('have ids and partitions of their own, whatever characters are in them', () => {
    const slash = { ...OWNER, email: 'a/b@acme.example' };
    assert.equal(messageId(slash, 'c/d%'), 'a%2Fb@acme.example/c%2Fd%25');
    assert.equal(fileId(OWNER, '18c', ''), 'ann@acme.example/18c/0');
    assert.equal(partitionOf('a/b@acme.example'), 'a%2Fb@acme.example');
  });
});

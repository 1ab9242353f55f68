/** Tests which records the imap source makes of mails, of friendly ones and of hostile ones, on a real Dovecot. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createExtractor } from '../../documents/extract.ts';
import type { Entity } from '../../model/entity.ts';
import { imap } from '../../sources/catalog/imap.ts';
import type { LeftOut, SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { type DovecotServer, needsDovecot, startDovecot } from '../dovecot-server.ts';
import { contextOf, entitiesOf, itemsOf, pullAll } from './harness.ts';
import {
  attached,
  html,
  type Mail,
  type MailAccount,
  multipart,
  openAccount,
  plain,
  sourceOf,
} from './imap-account.ts';

describe('mails', needsDovecot, () => {
  let server: DovecotServer;
  const extractor = createExtractor();
  before(async () => {
    server = await startDovecot();
  });
  after(async () => {
    await extractor.close();
    await server?.stop();
  });

  interface Read {
    readonly entities: readonly Entity[];
    readonly leftOut: readonly LeftOut[];
  }

  /** Reads all messages of the account, with their contents. */
  async function read(account: MailAccount, config: object = {}): Promise<Read> {
    const settings = { credentials: account.credentials, config };
    const items = await pullAll(imap, settings);
    const stubs = itemsOf(items, 'stub');
    const hydrated: SourceItem[] = [];
    for await (const item of must(imap.hydrate)(contextOf(imap, settings), stubs))
      hydrated.push(item);
    assert.equal(hydrated.length, stubs.length);
    return {
      entities: entitiesOf(hydrated),
      leftOut: [...items, ...hydrated].filter(
        (item): item is LeftOut => item.kind === 'skip' || item.kind === 'fail',
      ),
    };
  }

  /** Reads one message. */
  async function readMail(mail: Mail | string): Promise<Read & { message: Entity }> {
    const account = await openAccount(server);
    await account.append('INBOX', mail, new Date('2026-03-02T12:00:00Z'));
    const all = await read(account);
    await account.close();
    const message = all.entities.find(({ type }) => type === 'ImapMessage');
    return { ...all, message: must(message, JSON.stringify(all.leftOut)) };
  }
  const textOf = async (entity: Entity): Promise<string> => {
    const { signal } = new AbortController();
    if (entity.file) {
      const extracted = await extractor.extract(entity.file, signal);
      return extracted.kind === 'text' ? extracted.text : extracted.reason;
    }
    if (entity.html === undefined) return entity.text;
    const extracted = await extractor.extractHtml(entity.html, signal);
    return extracted.kind === 'text' ? extracted.text : extracted.reason;
  };

  it('a message has its headers as fields, and its times', async () => {
    const { message } = await readMail({
      subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe?= from\n =?iso-8859-1?B?S/ZsbiDkbQ==?= Rhein',
      from: '=?utf-8?B?w4RubmU=?= <anne@example.org>',
      to: 'undisclosed-recipients:;',
      id: '<a@example.org>',
      headers: ['Cc: bob@example.org, "Doe, C" <c@example.org>', 'In-Reply-To: <b@example.org>'],
      text: 'Bis bald.',
    });
    assert.equal(message.name, 'Grüße from Köln äm Rhein');
    assert.equal(await textOf(message), 'Bis bald.\n');
    assert.deepEqual(message.fields, {
      from: ['Änne <anne@example.org>'],
      to: ['undisclosed-recipients'],
      cc: ['bob@example.org', 'Doe, C <c@example.org>'],
      message_id: '<a@example.org>',
      in_reply_to: '<b@example.org>',
      folder: 'INBOX',
      received_at: '2026-03-02T12:00:00.000Z',
      protection: null,
    });
    assert.equal(message.createdAt?.toISOString(), '2026-03-02T10:00:00.000Z');
    assert.equal(message.updatedAt?.toISOString(), '2026-03-02T12:00:00.000Z');
    assert.match(must(message.context), /^From Änne <anne@example\.org> to undisclosed/);
  });

  it('of alternatives, the HTML is read, and pictures in it are not files', async () => {
    const { message, entities, leftOut } = await readMail({
      body: multipart('mixed', [
        multipart(
          'alternative',
          [
            plain('In words.'),
            multipart(
              'related',
              [
                html('<h1>Plan</h1><ul><li>first</li></ul><img src="cid:logo">'),
                'Content-Type: image/png\nContent-ID: <logo>\n\nx',
              ],
              'inner',
            ),
          ],
          'alt',
        ),
        attached('notes.txt', 'Take notes.'),
        plain('A footer of the list.'),
      ]),
    });
    const text = await textOf(message);
    assert.match(text, /^# Plan\n\n- first/);
    assert.match(text, /A footer of the list\./);
    assert.doesNotMatch(text, /In words/);
    const [file] = entities.filter(({ type }) => type === 'ImapAttachment');
    assert.equal(file?.name, 'notes.txt');
    assert.equal(await textOf(must(file)), 'Take notes.');
    assert.equal(file?.id, `${message.id}/1`);
    assert.deepEqual(file?.breadcrumbs?.at(-1), {
      id: message.id,
      name: message.name,
      type: 'ImapMessage',
    });
    assert.deepEqual(leftOut, []);
  });

  it('names of files lose their folders, and files without text are not transferred', async () => {
    const { entities, leftOut } = await readMail({
      body: multipart('mixed', [
        plain('See the files.'),
        attached('../../etc/passwd', 'root'),
        attached('C:\\\\x\\\\y.txt', 'y'),
        "Content-Type: text/plain\nContent-Disposition: attachment;\n filename*0*=utf-8''%C3%BC;\n filename*1=ber.txt\n\nÜber",
        'Content-Type: application/pdf\nContent-Disposition: attachment\n\nno pdf',
        attached('..', 'dots'),
        attached('photo.jpg', 'x', 'image/jpeg'),
        attached('winmail.dat', 'x', 'application/ms-tnef'),
        attached('invite.ics', 'BEGIN:VCALENDAR', 'text/calendar'),
        attached('book.7z', '7z'),
      ]),
    });
    assert.deepEqual(
      entities.filter(({ type }) => type === 'ImapAttachment').map(({ name }) => name),
      ['passwd', 'y.txt', 'über.txt', 'attachment 4.pdf', 'attachment 5', 'invite.ics'],
    );
    assert.deepEqual(
      leftOut.map(({ reason, detail }) => `${reason}: ${detail}`),
      [
        'of a kind without text: null',
        'of a kind that is not read yet: files that Outlook has packed (winmail.dat)',
        'of a kind without text: null',
      ],
    );
  });

  it('an attached message is a record with its own text and files', async () => {
    const inner = sourceOf(
      {
        subject: 'The inner one',
        body: multipart('mixed', [html('<p>Inner words.</p>'), attached('in.txt', 'Deep.')], 'in'),
      },
      'inner',
    );
    const single = sourceOf({ subject: 'Alone', text: 'Single words.' }, 'single');
    const { entities } = await readMail({
      body: multipart('mixed', [
        plain('Look at these.'),
        `Content-Type: message/rfc822\n\n${inner}`,
        `Content-Type: message/rfc822\n\n${single}`,
      ]),
    });
    const shown = await Promise.all(
      entities.map(async (one) => [one.name, (await textOf(one)).trim()]),
    );
    assert.deepEqual(
      shown.toSorted(([a], [b]) => (must(a) < must(b) ? -1 : 1)).slice(0, 3),
      [
        ['Alone', 'Single words.'],
        [must(entities.find(({ type }) => type === 'ImapMessage')).name, 'Look at these.'],
        ['The inner one', 'Inner words.'],
      ].toSorted(([a], [b]) => (must(a) < must(b) ? -1 : 1)),
    );
    assert.deepEqual(
      shown.find(([name]) => name === 'in.txt'),
      ['in.txt', 'Deep.'],
    );
  });

  it('every transfer encoding and charset is read, also a wrong one', async () => {
    for (const [headers, body, expected] of [
      [
        'text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable',
        'Gr=FC=\nn =3D =zz',
        'Grün = =zz',
      ],
      ['text/plain; charset=utf-8\nContent-Transfer-Encoding: base64', 'R3LDvG\n4=', 'Grün'],
      ['text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit', 'Grün', 'Grün'],
      ['text/plain; charset=us-ascii', 'Grün', 'Grün'],
      ['text/plain; charset=klingon-1', 'Grün', 'Grün'],
      ['text/plain', 'Grün', 'Grün'],
      ['text/plain; charset=shift_jis\nContent-Transfer-Encoding: base64', 'k/qWew==', '日本'],
      [
        'text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable',
        '=ED=C9=D2',
        'Мир',
      ],
    ] as const) {
      const { message } = await readMail({ body: `Content-Type: ${headers}\n\n${body}` });
      assert.equal((await textOf(message)).trim(), expected, headers);
    }
  });

  it('encrypted text is left out, and a signature says nothing', async () => {
    const pgp = await readMail({
      subject: 'Secret',
      body: multipart('encrypted; protocol="application/pgp-encrypted"', [
        'Content-Type: application/pgp-encrypted\n\nVersion: 1',
        'Content-Type: application/octet-stream; name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----',
      ]),
    });
    const inline = await readMail({
      subject: 'Secret',
      text: '-----BEGIN PGP MESSAGE-----\n\nhQEMA',
    });
    const cms = await readMail({
      subject: 'Secret',
      body: 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nMIAG',
    });
    for (const { message, entities, leftOut } of [pgp, inline, cms]) {
      assert.equal(message.fields.protection, 'encrypted');
      assert.equal(await textOf(message), '');
      assert.deepEqual([entities.length, leftOut.length], [1, 0]);
    }
    const signed = await readMail({
      body: multipart('signed; micalg=sha256', [
        plain('Signed words.'),
        attached('smime.p7s', 'x', 'application/pkcs7-signature'),
      ]),
    });
    assert.equal(signed.message.fields.protection, 'signed');
    assert.equal((await textOf(signed.message)).trim(), 'Signed words.');
    assert.equal(signed.entities.length, 1);
  });

  it('impossible dates, missing headers and odd characters do no harm', async () => {
    for (const date of [
      'Mon, 01 Jan 0000 00:00:00 +0000',
      'Fri, 31 Dec 9999 23:59:59 +0000',
      'soon',
      '',
    ]) {
      const { message } = await readMail(`Subject: x\r\nDate: ${date}\r\n\r\nWords.\r\n`);
      const year = message.createdAt?.getUTCFullYear() ?? 0;
      assert.ok(year >= 1970 && year <= 2026, `${date} gives ${message.createdAt}`);
    }
    const bare = await readMail('\r\nOnly words.\r\n');
    assert.equal(bare.message.name, '(no subject)');
    assert.equal((await textOf(bare.message)).trim(), 'Only words.');
    const nothing = await readMail('Subject: Nothing in it\r\n\r\n');
    assert.deepEqual([nothing.message.name, await textOf(nothing.message)], ['Nothing in it', '']);
    const odd = await readMail({ subject: '=?utf-16be?B?2AAAQQ==?= =?utf-8?Q?a=0D=0Ab=00c?=' });
    assert.doesNotMatch(odd.message.name, /[\r\n]/);
    const long = await readMail({ subject: `${'word '.repeat(20_000)}` });
    assert.equal(long.message.name.length, 500);
  });

  it('messages without a Message-ID, and many in one second, are told apart', async () => {
    const account = await openAccount(server);
    const at = new Date('2026-03-02T12:00:00Z');
    for (const n of ['1', '2'])
      await account.append('INBOX', `Subject: Job ${n}\r\n\r\nDone.\r\n`, at);
    for (const n of ['1', '2'])
      await account.append('INBOX', { id: `<${n}@x>`, subject: 'Same' }, at);
    const { entities } = await read(account);
    assert.equal(new Set(entities.map(({ id }) => id)).size, 4);
    await account.close();
  });

  it('a message of 1,000 levels or 10,000 parts is bounded, and the others are read', async () => {
    let deep = plain('The deepest walrus.');
    for (let i = 0; i < 1000; i++) deep = multipart('mixed', [deep], `edge${i}`);
    const many = multipart(
      'mixed',
      Array.from({ length: 10_000 }, (_, i) =>
        i % 2 ? plain(`Part ${i}.`) : attached(`${i}.txt`, 'x'),
      ),
    );
    const account = await openAccount(server);
    await account.append('INBOX', { subject: 'Before' });
    await account.append('INBOX', { subject: 'Deep', body: deep });
    await account.append('INBOX', { subject: 'Many', body: many });
    await account.append('INBOX', { subject: 'After' });
    const { entities, leftOut } = await read(account);
    await account.close();
    const names = entities.filter(({ type }) => type === 'ImapMessage').map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ['After', 'Before', 'Many']);
    assert.deepEqual(
      leftOut.map(({ reason }) => reason),
      ['nested too deep to be read'],
    );
    assert.equal(entities.length, 3 + 255);
    const text = await textOf(must(entities.find(({ name }) => name === 'Many')));
    assert.match(text, /Part 1\./);
    assert.doesNotMatch(text, /Part 101\./);
  });

  it('a text of 30 MB is left out, and a file of 3 MB is not held in memory', async () => {
    const account = await openAccount(server);
    await account.append('INBOX', { subject: 'Huge', text: `${'x'.repeat(76)}\n`.repeat(400_000) });
    await account.append('INBOX', {
      subject: 'Small',
      body: multipart('mixed', [plain('See it.'), attached('big.txt', 'word '.repeat(600_000))]),
    });
    const { entities, leftOut } = await read(account);
    await account.close();
    assert.deepEqual(
      leftOut.map(({ reason, detail }) => `${reason}: ${detail}`),
      ['too large: 29.8 MB, more than 20 MB'],
    );
    const file = must(entities.find(({ name }) => name === 'big.txt'));
    assert.equal(file.file?.size, 3_000_000);
    assert.equal(file.file?.isTemporary, true);
  });
});

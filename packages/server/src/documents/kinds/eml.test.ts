import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  converted,
  convertedAll,
  convertedFile,
  EMPTY_CONTAINER,
} from '../../test/documents/converted.ts';
import {
  filePart,
  MAIL_HEAD,
  type MadePart,
  mailFile,
  mailOf,
  multipart,
  textPart,
} from '../../test/documents/mail-file.ts';
import { convert } from './eml.ts';

const HEAD = `# Offer for the Grüne Brücke

From: Ann Miller <ann@example.org>
To: Ben <ben@example.org>, Smith, Cleo <cleo@example.org>
Cc: Jürgen <juergen@example.org>
Date: 2025-03-03 09:00 UTC`;

const html = (body: string): MadePart => textPart(body, 'text/html; charset=utf-8');
const bodyOf = async (part: MadePart): Promise<string> => {
  const { text } = await convertedAll(convert, mailOf(part));
  return text.slice(HEAD.length).trim();
};
const namesIn = async (part: MadePart): Promise<string[]> =>
  (await convertedAll(convert, mailOf(part))).inner.map(({ path }) => path);

describe('a message', () => {
  it('becomes its subject, its people, its time and its text, and says who has written it', async () => {
    assert.deepEqual(await converted(convert, mailFile([], 'Dear Ben,\r\n\r\n12 euros.')), {
      text: `${HEAD}\n\nDear Ben,\n\n12 euros.`,
      about: {
        title: 'Offer for the Grüne Brücke',
        author: 'Ann Miller <ann@example.org>',
        created_at: '2025-03-03T09:00:00.000Z',
      },
    });
  });

  it('keeps quotes and lines, and nothing in its text becomes a heading', async () => {
    const text =
      '# 1 is the price\r\n> We said\r\n>> # 2\r\nYes\r\n---\r\nAnn\r\n\r\n\r\n\r\n   indented';
    assert.equal(
      await bodyOf(textPart(text)),
      '\\# 1 is the price\n> We said\n>> \\# 2\nYes\n\\---\nAnn\n\nindented',
    );
  });

  it('is read in any charset and transfer encoding, even in wrong ones', async () => {
    for (const [type, encoding, body, text] of [
      ['text/plain; charset=iso-8859-15', '8bit', 'Br\xfccke \xa4', 'Brücke €'],
      [
        'text/plain; charset=utf-8',
        'quoted-printable',
        'Br=C3=BCcke =\r\nim Mai=',
        'Brücke im Mai=',
      ],
      ['text/plain', 'quoted-printable', 'Br=\nuecke', 'Bruecke'],
      ['text/plain; charset="utf-8"', 'BASE64', 'QnLDvGNr\r\nZQ==', 'Brücke'],
      ['text/plain; charset=klingon', '8bit', 'Br\xfccke', 'Brücke'],
      ['text/plain', '8bit', 'Br\xfccke', 'Brücke'],
      ['text/plain', '8bit', 'Br\xc3\xbccke', 'Brücke'],
      ['text/plain', 'base64', '*Qn=Lx', 'B'],
      ['text/plain', 'x-unknown', 'Bruecke', 'Bruecke'],
      ['nonsense', '7bit', 'Bruecke', 'Bruecke'],
    ] as const) {
      const head = [`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`];
      const read = await bodyOf({ head, body });
      assert.equal(text.startsWith('B') && read.slice(0, text.length), text, `${type} ${encoding}`);
    }
  });

  it('is read from its plain text, unless this is only a remark beside the HTML', async () => {
    const rich = html('<h2>Prices</h2><p>The bridge costs <b>12</b> euros in May.</p>');
    const plain = textPart('The bridge costs 12 euros in May. Prices');
    assert.equal(await bodyOf(multipart('alternative', [plain, rich])), plain.body);
    const page = '## Prices\n\nThe bridge costs 12 euros in May.';
    for (const remark of ['', ' ', 'Use another program.'])
      assert.equal(await bodyOf(multipart('alternative', [textPart(remark), rich])), page);
    assert.equal(await bodyOf(rich), page);
    const twice = textPart('Prices: 12 euros.');
    const words = html('<p>The bridge costs 12 euros.</p><p>Prices</p>');
    assert.equal(await bodyOf(multipart('alternative', [twice, words])), twice.body);
    assert.equal(
      await bodyOf(multipart('mixed', [textPart('Hello.'), rich, textPart('Bye.')])),
      `Hello.\n\n${page}\n\nBye.`,
    );
  });

  it('has its subject once, also where the title of its HTML repeats it', async () => {
    const page = (title: string) => html(`<title>${title}</title><p>12 euros.</p>`);
    assert.equal(await bodyOf(page('Offer for the Gr&uuml;ne Br&uuml;cke')), '12 euros.');
    assert.equal(await bodyOf(page('Offer')), '# Offer\n\n12 euros.');
  });

  it('has its files inside of it, by clean names', async () => {
    const parts = [
      textPart('See the files.'),
      filePart('plan.txt', 'We meet on Monday.'),
      filePart('../../etc/pass\u0007wd', 'x'),
      filePart('C:\\\\offers\\\\..', 'x', 'application/pdf'),
      {
        head: ["Content-Disposition: attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe.txt"],
        body: 'Hello',
      },
      textPart('BEGIN:VCALENDAR', 'text/calendar; method=REQUEST'),
      filePart('/', 'x'),
      filePart('..', 'x'),
    ];
    const { text, inner } = await convertedAll(convert, mailOf(multipart('mixed', parts)));
    assert.equal(text, `${HEAD}\n\nSee the files.`);
    assert.deepEqual(
      inner.map(({ path }) => path),
      [
        'plan.txt',
        'pass wd',
        'attachment 3.pdf',
        'Grüße.txt',
        'attachment 5.ics',
        'attachment 6',
        'attachment 7',
      ],
    );
    assert.equal(Buffer.from(inner[0]?.bytes ?? []).toString(), 'We meet on Monday.');
  });

  it('has forwarded messages inside of it, by their subjects, and not the pictures of its text', async () => {
    const forwarded = {
      head: ['Content-Type: message/rfc822'],
      body: mailFile([], 'The old text.').toString('latin1'),
    };
    const picture = (name: string, more: string[]) => ({
      head: [`Content-Type: image/png; name="${name}"`, ...more],
      body: 'x',
    });
    const page = multipart('related', [
      html('<p>See <img src="cid:1">'),
      picture('logo.png', ['Content-ID: <1>']),
      picture('photo.png', ['Content-ID: <2>', 'Content-Disposition: attachment']),
    ]);
    const all = multipart('mixed', [page, forwarded]);
    assert.deepEqual(await namesIn(all), ['photo.png', 'message.eml']);
    const outcome = await convertedFile('eml', 'a.eml', mailOf(all));
    assert.ok(outcome.is === 'text');
    assert.equal(outcome.inner?.[1]?.name, 'Offer for the Grüne Brücke');
    const old = outcome.inner?.[1]?.outcome;
    assert.ok(old?.is === 'text' && old.text.endsWith('The old text.'));
  });

  it('says so when its text is encrypted or inside of a signature, and leaves signatures out', async () => {
    const encrypted = /^The text of this message is encrypted\.$/;
    const pgp = multipart('encrypted', [
      { head: ['Content-Type: application/pgp-encrypted'], body: 'Version: 1' },
      filePart('encrypted.asc', 'x'),
    ]);
    const cms = (type: string): MadePart => ({
      head: [`Content-Type: application/pkcs7-mime; smime-type=${type}; name=smime.p7m`],
      body: 'MIAG',
    });
    const signed = multipart('signed', [
      textPart('The offer stands.'),
      filePart('smime.p7s', 'x', 'application/pkcs7-signature'),
    ]);
    for (const part of [pgp, cms('enveloped-data'), textPart('-----BEGIN PGP MESSAGE-----\r\nhQ')])
      assert.match(await bodyOf(part), encrypted);
    assert.match(await bodyOf(cms('signed-data')), /inside of its signature/);
    assert.equal(await bodyOf(signed), 'The offer stands.');
    for (const part of [pgp, cms('enveloped-data'), signed])
      assert.deepEqual(await namesIn(part), []);
  });

  it('is found behind the line of a mailbox, blank lines, and the length that Apple Mail writes', async () => {
    const mail = mailFile([], 'Hello').toString('latin1');
    const apple = `${mail.length}      \n${mail}<?xml version="1.0"?><plist>flags</plist>`;
    for (const file of [
      apple,
      `\r\n\n${mail}`,
      `\xef\xbb\xbf${mail}`,
      `From a@b Mon Mar  3 10:00:00 2025\n${mail}`,
    ])
      assert.equal(
        (await converted(convert, Buffer.from(file, 'latin1'))).text,
        `${HEAD}\n\nHello`,
      );
  });

  it('of bytes without text is left out, and one without headers or an end is read as far as it goes', async () => {
    const container = EMPTY_CONTAINER;
    const random = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + i) % 256));
    assert.deepEqual(await convert(random, container), { reason: 'binary' });
    for (const [file, text] of [
      ['', ''],
      ['Hello Ben\nhow are you?', ''],
      ['Subject: Short', '# Short'],
      ['Subject: Short\n\nHello', '# Short\n\nHello'],
      ['Content-Type: multipart/mixed; boundary=a\n\n--a\n\nHello\n--', 'Hello\n\\--'],
      ['Content-Type: multipart/mixed; boundary=a\n\n--a\n\nsee --a\n--a--', 'see --a'],
      [
        'Content-Type: multipart/mixed; boundary=a\n\n--abc\n\nno\n--a\n\nHello\n--a--\nno',
        'Hello',
      ],
    ] as const)
      assert.equal((await converted(convert, Buffer.from(file))).text, text, file);
  });
});

describe('a page that is saved as one file', () => {
  const chrome = multipart('related', [
    html('<html><title>Bridges</title><p>Of stone.</html>'),
    { head: ['Content-Type: text/html', 'Content-ID: <frame>'], body: '<p>An advertisement' },
    { head: ['Content-Type: image/png', 'Content-Location: a.png'], body: 'x' },
  ]);
  const head = [
    'From: <Saved by Blink>',
    'Snapshot-Content-Location: https://example.org/',
    'Subject: Bridges',
  ];

  it('becomes its main part as a page', async () => {
    const file = Buffer.from(`${[...head, ...chrome.head].join('\r\n')}\r\n\r\n${chrome.body}`);
    for (const name of ['a.mhtml', 'a.mht', 'saved'])
      assert.deepEqual(await converted(convert, file, name), {
        text: '# Bridges\n\nOf stone.',
        about: { title: 'Bridges' },
      });
  });
});

describe('a hostile message', () => {
  const inTime = async (what: string, bytes: Buffer) => {
    const outcome = await convertedFile('eml', 'a.eml', bytes);
    assert.ok(outcome.is === 'text', `${what}: ${JSON.stringify(outcome).slice(0, 200)}`);
    return outcome;
  };
  const repeated = (text: string, times: number) => `${text}\r\n`.repeat(times);

  it('with thousands of parts or levels is read within limits', { timeout: 60_000 }, async () => {
    const file = '--x\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nabc';
    const boundary = ['Content-Type: multipart/mixed; boundary=x'];
    const many = await inTime('files', mailFile(boundary, repeated(file, 10_000)));
    assert.equal(many.inner?.length, 255);
    const deep = Array.from(
      { length: 20_000 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}`,
    );
    await inTime('levels', Buffer.from(`${deep.join('\r\n')}\r\n\r\nHello`));
    const nested = `${MAIL_HEAD.join('\r\n')}\r\nContent-Type: message/rfc822\r\n\r\n`;
    const { inner = [] } = await inTime('messages', Buffer.from(nested.repeat(1000)));
    assert.deepEqual(inner.at(-1)?.outcome, {
      is: 'skip',
      omission: {
        reason: 'too deep inside of other files',
        detail: 'more than 3 levels',
        hint: 'Unpack it: the next sync reads the result.',
      },
    });
  });

  it('with megabytes in a header or a line is read within limits', {
    timeout: 60_000,
  }, async () => {
    for (const [what, head] of Object.entries({
      words: `Subject: ${'=?utf-8?q?a?= '.repeat(70_000)}`,
      marks: `To: ${'<"(:'.repeat(250_000)}`,
      'a folded subject': `Subject: a${'\r\n b'.repeat(250_000)}`,
      parameters: `Content-Type: text/plain${'; a="'.repeat(200_000)}`,
    })) {
      const { text } = await inTime(what, Buffer.from(`${head}\r\n\r\nHello`));
      assert.ok(text.length < 60_000 && text.endsWith('Hello'), what);
    }
    await inTime('empty lines', mailFile([], '\r\n'.repeat(3_000_000)));
    await inTime('quotes', mailFile([], '> '.repeat(2_000_000)));
    await inTime(
      'encoded rubbish',
      mailFile(['Content-Transfer-Encoding: base64'], '=a*=\xff'.repeat(500_000)),
    );
  });
});

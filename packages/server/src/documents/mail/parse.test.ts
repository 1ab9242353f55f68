/** Tests what is found in messages whose programs do not build them as the standards say. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convertedAll } from '../../test/documents/converted.ts';
import {
  filePart,
  type MadePart,
  mailFile,
  mailOf,
  multipart,
  textPart,
} from '../../test/documents/mail-file.ts';
import { convert } from '../kinds/eml.ts';
import { parseMessage } from './parse.ts';

const html = (body: string): MadePart => textPart(body, 'text/html; charset=utf-8');
const filesIn = (part: MadePart): string[] => [
  ...Iterator.from(parseMessage(mailOf(part)).attachments).map(
    ({ name, bytes }) => `${name}: ${bytes}`,
  ),
];
const bodyOf = async (bytes: Buffer): Promise<string> =>
  (await convertedAll(convert, bytes)).text.split('\n\n').slice(2).join('\n\n');

describe('the files of a message', () => {
  it('are found in every form of its text', () => {
    const file = filePart('plan.txt', 'The plan', 'text/plain');
    const table = {
      head: ['Content-Type: text/csv; name=plan.csv', 'Content-Disposition: inline'],
      body: 'a,b',
    };
    const text = textPart('Hello');
    const page = html('<p>Hello</p>');
    for (const form of [
      multipart('mixed', [page, file, table]),
      multipart('related', [page, file, table]),
    ]) {
      const part = multipart('alternative', [text, form]);
      assert.deepEqual(filesIn(part), ['plan.txt: The plan', 'plan.csv: a,b']);
    }
    const other = textPart('<amp>', 'text/x-amp-html');
    assert.deepEqual(filesIn(multipart('alternative', [text, other, page])), []);
  });

  it('are read when they have an id in the text, unless they are pictures, styles or fonts', () => {
    const withId = (file: MadePart): MadePart => ({
      head: [
        ...file.head.filter((line) => !line.startsWith('Content-Disposition')),
        'Content-ID: <f@e.org>',
      ],
      body: file.body,
    });
    const files = ['text/css', 'font/woff2', 'application/font-woff', 'image/png', 'text/csv'].map(
      (type) => withId(filePart('a', 'a,b', type)),
    );
    const related = multipart('related', [html('<p>See'), ...files]);
    assert.deepEqual(filesIn(related), ['attachment 1.csv: a,b']);
  });

  it('have its invitation, once', () => {
    const calendar = 'BEGIN:VCALENDAR';
    const invitation = textPart(calendar, 'text/calendar; method=REQUEST');
    const alternatives = multipart('alternative', [textPart('Come'), html('<p>Come'), invitation]);
    assert.deepEqual(filesIn(alternatives), [`attachment 1.ics: ${calendar}`]);
    const again = filePart('invite.ics', calendar, 'application/ics');
    assert.deepEqual(filesIn(multipart('mixed', [alternatives, again])), [
      `invite.ics: ${calendar}`,
    ]);
    const forwarded = {
      head: ['Content-Type: message/rfc822'],
      body: mailOf(alternatives).toString('latin1'),
    };
    assert.equal(filesIn(multipart('mixed', [textPart('See'), forwarded])).length, 1);
  });

  it('have names of encoded words, whose slashes are no folders', () => {
    const word = (text: string) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
    const named = (head: string): MadePart => ({ head: [head], body: 'x' });
    assert.match(word('ab?.html'), /\//);
    assert.deepEqual(
      filesIn(
        multipart('mixed', [
          textPart('Hi'),
          named(`Content-Disposition: attachment; filename="${word('Angebot für.html')}"`),
          named(`Content-Disposition: attachment; filename=${word('ab?.html')}`),
          named(`Content-Type: application/pdf; name="${word('ordner/Brücke')}"`),
          named('Content-Type: text/csv; name="=?utf-8?q?Br=C3=BC?=\r\n =?utf-8?q?cke.csv?="'),
        ]),
      ),
      ['Angebot für.html: x', 'ab?.html: x', 'Brücke.pdf: x', 'Brücke.csv: x'],
    );
  });

  it('may be signed or encrypted, while the message is not', async () => {
    const cms = (head: string, name: string): MadePart => ({
      head: [`Content-Type: application/pkcs7-mime; name="${name}"`, head],
      body: 'MIAG',
    });
    const attachment = 'Content-Disposition: attachment';
    const text = textPart('The invoice.');
    for (const file of [cms(attachment, 'invoice.xml.p7m'), cms('X-A: b', 'invoice.xml.p7m')]) {
      const part = multipart('mixed', [text, file]);
      assert.deepEqual(filesIn(part), ['invoice.xml.p7m: MIAG']);
      assert.equal(await bodyOf(mailOf(part)), 'The invoice.');
    }
    const encrypted = 'The text of this message is encrypted.';
    const body = cms(attachment, 'smime.p7m');
    const signature = filePart('smime.p7s', 'x', 'application/pkcs7-signature');
    for (const part of [
      body,
      multipart('signed', [body, signature]),
      multipart('mixed', [cms('X-A: b', 'smime.p7m'), textPart('The footer of a list.')]),
    ]) {
      assert.equal(await bodyOf(mailOf(part)), encrypted);
      assert.deepEqual(filesIn(part), []);
    }
  });
});

describe('the reports and collections of messages', () => {
  it('say once that a message was not delivered', async () => {
    const repeated = (type: string): MadePart => ({
      head: [`Content-Type: ${type}`],
      body: 'Action: failed',
    });
    for (const type of [
      'message/delivery-status',
      'message/disposition-notification',
      'message/feedback-report',
      'text/rfc822-headers',
    ]) {
      const report = multipart('report', [textPart('Ben has no mailbox.'), repeated(type)]);
      assert.deepEqual(filesIn(report), [], type);
      assert.equal(await bodyOf(mailOf(report)), 'Ben has no mailbox.', type);
    }
  });

  it('have messages in a digest, whose parts name no type', () => {
    const digest = multipart('digest', [
      { head: [], body: 'Subject: One\r\n\r\nHello' },
      { head: ['Content-Type: text/plain'], body: 'The end of the digest.' },
    ]);
    const { attachments, plain } = parseMessage(mailOf(digest));
    assert.deepEqual(
      [...Iterator.from(attachments).map(({ title, bytes }) => [title, `${bytes}`])],
      [['One', 'Subject: One\r\n\r\nHello']],
    );
    assert.deepEqual(
      plain.map(({ content }) => content),
      ['The end of the digest.'],
    );
  });
});

describe('the text of a message with parts that belong together', () => {
  it('is the part that its head names, or the first', async () => {
    const style = { head: ['Content-Type: text/css', 'Content-ID: <css@e.org>'], body: 'p {}' };
    const page = html('<p>The offer');
    const root = { ...page, head: [...page.head, 'Content-ID: <root@e.org>'] };
    const { head, body } = multipart('related', [style, root]);
    const named = { head: [`${head[0]}; start="<root@e.org>"`], body };
    assert.equal(await bodyOf(mailOf(named)), 'The offer');
    assert.deepEqual(filesIn(named), []);
    assert.equal(await bodyOf(mailOf(multipart('related', [root, style]))), 'The offer');
  });
});

describe('the charset of a message', () => {
  it('may have bytes that look like control characters', async () => {
    const japanese = Buffer.from('82a082e882aa82c682a481428d8190e08f9182f08ae0'.repeat(30), 'hex');
    const head = ['Content-Type: text/plain; charset=Shift_JIS', 'Content-Transfer-Encoding: 8bit'];
    const file = mailFile(head, japanese.toString('latin1'));
    assert.match(await bodyOf(file), /^ありがとう。香/);
  });

  it('may be a wrong one, whose control characters stand for quotation marks', async () => {
    for (const charset of ['utf-8', 'iso-8859-15']) {
      const said = Buffer.from('\u0093Yes\u0094', charset === 'utf-8' ? 'utf8' : 'latin1');
      const head = [`Content-Type: text/plain; charset=${charset}`];
      assert.equal(await bodyOf(mailFile(head, said.toString('latin1'))), '\u0093Yes\u0094');
    }
  });

  it('is named by its page when its header names none', async () => {
    const page = '<html><meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2</p></html>';
    for (const [type, text] of [
      ['text/html', 'Привет'],
      ['text/html; charset=us-ascii', 'Привет'],
      ['text/html; charset=koi8-r', 'оПХБЕР'],
      ['text/html; charset=iso-8859-1', 'Ïðèâåò'],
    ])
      assert.equal(await bodyOf(mailFile([`Content-Type: ${type}`], page)), text, type);
    const saved = `Snapshot-Content-Location: https://e.org/\r\nContent-Type: text/html\r\n\r\n${page}`;
    const { text } = await convertedAll(convert, Buffer.from(saved, 'latin1'), 'a.mhtml');
    assert.equal(text, 'Привет');
  });
});

describe('the headers of a message', () => {
  it('count once, and say nothing of blind copies', async () => {
    const head = ['From: Eve <eve@example.org>', 'Subject: Another', 'Bcc: sam@example.org'];
    const { text } = await convertedAll(convert, mailFile(head, 'Hello'));
    assert.match(text, /^# Offer for the Grüne Brücke\n\nFrom: Ann Miller <ann@example.org>\nTo: /);
    assert.ok(!/Another|eve@|sam@/.test(text));
  });
});

describe('the parts of a message', () => {
  it('end before the line break that belongs to the boundary', () => {
    const head = 'Content-Disposition: attachment; filename=a.txt';
    for (const lineBreak of ['\r\n', '\n']) {
      const lines = ['--o', head, '', 'a', '', '--o', head, '', '', '--o--', ''];
      const file = mailFile(['Content-Type: multipart/mixed; boundary=o'], lines.join(lineBreak));
      assert.deepEqual(
        [...Iterator.from(parseMessage(file).attachments).map(({ bytes }) => `${bytes}`)],
        [`a${lineBreak}`, ''],
      );
    }
  });

  it('are found when a parameter before their boundary is malformed', async () => {
    for (const malformed of ['foo;', ';', 'a="b" c;', '=x;', '"a;b";'])
      assert.equal(
        await bodyOf(
          mailFile(
            [`Content-Type: multipart/mixed; ${malformed} boundary=o`],
            '--o\r\n\r\nHello\r\n--o--\r\n',
          ),
        ),
        'Hello',
        malformed,
      );
  });

  it('are each searched only to their end', (test) => {
    let searched = 0;
    const { indexOf } = Buffer.prototype;
    test.mock.method(
      Buffer.prototype,
      'indexOf',
      function (this: Buffer, mark: Buffer, at: number) {
        const found = indexOf.call(this, mark, at);
        searched += (found === -1 ? this.length : found) - at;
        return found;
      },
    );
    const empty = Array.from(
      { length: 1000 },
      (_, i) => `--o\r\nContent-Type: multipart/mixed; boundary=b${i}\r\n\r\nx\r\n`,
    );
    const file = mailFile(
      ['Content-Type: multipart/mixed; boundary=o'],
      `${empty.join('')}--o\r\n\r\n${'x'.repeat(1_000_000)}`,
    );
    assert.equal([...parseMessage(file).attachments].length, 255);
    assert.ok(searched < 5 * file.length, String(searched));
  });
});

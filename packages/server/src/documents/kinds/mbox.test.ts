import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convertedAll, convertedFile } from '../../test/documents/converted.ts';
import { filePart, mailFile, mailOf, multipart, textPart } from '../../test/documents/mail-file.ts';
import { convert } from './mbox.ts';

const FROM = 'From ann@example.org Mon Mar  3 10:00:00 2025';
const mail = (subject: string, body: string) =>
  `Subject: ${subject}\nMIME-Version: 1.0\n\n${body}\n`;
const box = (...mails: string[]) => mails.map((one) => `${FROM}\n${one}\n`).join('');
const read = async (file: string) => {
  const { text, inner } = await convertedAll(convert, Buffer.from(file, 'latin1'));
  return {
    text,
    inner: inner.map(({ path, name, bytes }) => ({
      path,
      name,
      body: Buffer.from(bytes).toString('latin1'),
    })),
  };
};

describe('a mailbox file', () => {
  it('is a list of its messages, each of which is inside of it, under a name that stays', async () => {
    const mails = [mail('Plan', 'One'), mail('Re: a/b', 'Two'), mail('', 'Three')];
    const first = await read(box(...mails));
    assert.equal(first.text, '- Plan\n- Re: a/b\n- (no subject)');
    assert.deepEqual(
      first.inner.map(({ path, name }) => [path, name]),
      [
        ['0001.eml', 'Plan'],
        ['0002.eml', 'Re: a/b'],
        ['0003.eml', undefined],
      ],
    );
    const later = await read(box(...mails, mail('New', 'Four')));
    assert.deepEqual(later.inner.slice(0, 3), first.inner);
  });

  it('begins a message only behind an empty line, and takes one > from the lines that would', async () => {
    const body = '\n>From Ben we hear\n>>From us\n> quoted\nFrom here 10:00 2025\n\nFrom a letter';
    for (const file of [
      box(mail('A', body), mail('B', '')),
      box(mail('A', body), mail('B', '')).replaceAll('\n', '\r\n'),
    ]) {
      const { inner } = await read(file);
      assert.deepEqual(
        inner.map(({ body }) => body.replaceAll('\r', '').trim()),
        [
          `Subject: A\nMIME-Version: 1.0\n\n\nFrom Ben we hear\n>From us\n> quoted\nFrom here 10:00 2025\n\nFrom a letter`,
          'Subject: B\nMIME-Version: 1.0',
        ],
      );
    }
  });

  it('does not end a message at a sentence that begins like an envelope', async () => {
    const body = 'Hi\n\nFrom Berlin we leave on Mon at 10:30 and reach Paris\nat noon.';
    const { text, inner } = await read(box(mail('A', body), mail('B', 'x')));
    assert.equal(text, '- A\n- B');
    assert.ok(inner[0]?.body.includes(body));
  });

  it('has no messages that are marked as deleted, and the others keep their numbers', async () => {
    const marked = (line: string, subject: string) => `${line}\n${mail(subject, 'x')}`;
    const file = box(
      marked('X-Mozilla-Status: 0001', 'Read'),
      marked('X-Mozilla-Status: 0009', 'Expunged'),
      marked('X-Status: AD', 'Deleted'),
      marked('X-Status: AF', 'Flagged'),
      marked('X-Mozilla-Status: 8010', 'Older'),
    );
    const { text, inner } = await read(file);
    assert.equal(text, '- Read\n- Flagged\n- Older');
    assert.deepEqual(
      inner.map(({ path }) => path),
      ['0001.eml', '0004.eml', '0005.eml'],
    );
    const empty = Buffer.from(box(marked('X-Mozilla-Status: 0008', 'Expunged')));
    assert.deepEqual(await convertedFile('mbox', 'a.mbox', empty), {
      is: 'skip',
      omission: {
        reason: 'without text that can be read',
        detail: 'all messages are marked as deleted',
      },
    });
  });

  it('is a list in which no subject becomes something else', async () =>
    assert.equal((await read(box(mail('```', 'x'), mail('B', 'y')))).text, '- \\```\n- B'));

  it('has the files of its messages inside of them', async () => {
    const message = mailOf(multipart('mixed', [textPart('See.'), filePart('a.txt', 'Inside.')]));
    const outcome = await convertedFile(
      'mbox',
      'a.mbox',
      Buffer.from(`${FROM}\r\n${message.toString('latin1')}`),
    );
    assert.ok(outcome.is === 'text');
    assert.deepEqual(
      outcome.inner?.map(({ path }) => path),
      ['0001.eml', '0001.eml!/a.txt'],
    );
  });

  it('without messages is refused', async () => {
    for (const file of [
      '',
      'Hello',
      mailFile([], 'x').toString(),
      'From here on',
      '\0\xff'.repeat(999),
    ])
      await assert.rejects(
        read(file),
        /the file is not a mailbox: it does not begin with a message/,
      );
  });

  it('of many messages, and of many lines that look like beginnings, is read once', {
    timeout: 60_000,
  }, async () => {
    const many = await read(box(...Array.from({ length: 9000 }, (_, i) => mail(`No. ${i}`, 'x'))));
    assert.equal(many.inner.length, 9000);
    assert.equal(many.text.split('\n').length, 1001);
    assert.match(many.text, /\n- and 8000 more$/);
    assert.equal((await read(`${FROM}\n\n${'\nFrom '.repeat(2_000_000)}`)).inner.length, 1);
    assert.equal((await read(`${FROM}\n\n${`\n${'>'.repeat(999)}`.repeat(5000)}`)).inner.length, 1);
  });
});

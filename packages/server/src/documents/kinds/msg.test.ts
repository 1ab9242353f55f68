import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CompoundTree, compoundFile } from '../../test/documents/compound-file.ts';
import { converted, convertedAll, convertedFile } from '../../test/documents/converted.ts';
import { damaged } from '../../test/documents/damaged.ts';
import { mailFile } from '../../test/documents/mail-file.ts';
import { convert } from './msg.ts';

const unicode = (number: string, text: string): CompoundTree => ({
  [`__substg1.0_${number}001F`]: Buffer.from(text, 'utf16le'),
});
const binary = (number: string, content: string | Buffer): CompoundTree => ({
  [`__substg1.0_${number}0102`]: Buffer.from(content),
});

/** Returns the stream of properties of fixed length: each has a tag and eight bytes. */
function fixed(headBytes: number, values: Readonly<Record<number, bigint>>): CompoundTree {
  const entries = Object.entries(values).map(([tag, value]) => {
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(Number(tag), 0);
    entry.writeBigInt64LE(value, 8);
    return entry;
  });
  return { '__properties_version1.0': Buffer.concat([Buffer.alloc(headBytes), ...entries]) };
}
const TIME = (BigInt(Date.parse('2025-03-03T09:00:00Z')) + 11_644_473_600_000n) * 10_000n;
const SUBMITTED = 0x00390040;
const RECIPIENT_TYPE = 0x0c150003;

const recipient = (number: number, name: string, address: string): CompoundTree => ({
  ...fixed(8, { [RECIPIENT_TYPE]: BigInt(number) }),
  ...unicode('3001', name),
  ...unicode('39FE', address),
});
const file = (name: string, content: string, more: CompoundTree = {}): CompoundTree => ({
  ...fixed(8, {}),
  ...unicode('3707', name),
  ...binary('3701', content),
  ...more,
});

const PEOPLE: CompoundTree = {
  '__recip_version1.0_#00000000': recipient(1, 'Ben', 'ben@example.org'),
  '__recip_version1.0_#00000001': recipient(2, 'Jürgen', 'juergen@example.org'),
};
const MESSAGE: CompoundTree = {
  ...fixed(32, { [SUBMITTED]: TIME }),
  ...unicode('0037', 'Offer for the Grüne Brücke'),
  ...unicode('0042', 'Ann Miller'),
  ...unicode('5D02', 'ann@example.org'),
  ...PEOPLE,
};
const HEAD = `# Offer for the Grüne Brücke

From: Ann Miller <ann@example.org>
To: Ben <ben@example.org>
Cc: Jürgen <juergen@example.org>
Date: 2025-03-03 09:00 UTC`;

const read = (tree: CompoundTree) => convertedAll(convert, compoundFile(tree));
const bodyOf = async (tree: CompoundTree): Promise<string> =>
  (await read({ ...MESSAGE, ...tree })).text.slice(HEAD.length).trim();

async function innerTextOf(tree: CompoundTree): Promise<string> {
  const outcome = await convertedFile('msg', 'a.msg', compoundFile({ ...MESSAGE, ...tree }));
  assert.ok(outcome.is === 'text');
  const inner = outcome.inner?.[0]?.outcome;
  assert.ok(inner?.is === 'text');
  return inner.text;
}

describe('a message that Outlook has saved', () => {
  it('becomes its subject, its people, its time and its text', async () => {
    assert.deepEqual(
      await read({ ...MESSAGE, ...unicode('1000', 'Dear Ben,\r\n\r\n# 12 euros.\0') }),
      {
        text: `${HEAD}\n\nDear Ben,\n\n\\# 12 euros.`,
        about: {
          title: 'Offer for the Grüne Brücke',
          author: 'Ann Miller <ann@example.org>',
          created_at: '2025-03-03T09:00:00.000Z',
        },
        inner: [],
        leftOut: {},
      },
    );
  });

  it('does not show who has a blind copy, also inside of another message', async () => {
    const all = {
      ...PEOPLE,
      '__recip_version1.0_#00000002': recipient(3, 'Secret Sam', 'sam@example.org'),
    };
    assert.equal((await read({ ...MESSAGE, ...all })).text, HEAD);
    const inner = { ...fixed(24, {}), ...unicode('0037', 'Old'), ...all };
    const outer = { '__attach_version1.0_#00000000': { '__substg1.0_3701000D': inner } };
    assert.equal(
      await innerTextOf(outer),
      '# Old\n\nTo: Ben <ben@example.org>\nCc: Jürgen <juergen@example.org>',
    );
  });

  it('is by the person for whom somebody has sent it, at the time when it was sent', async () => {
    const DELIVERED = 0x0e060040;
    const later = TIME + 36_000_000_000n;
    const sender = {
      ...unicode('0C1A', 'Office of Ann'),
      ...unicode('5D01', 'office@example.org'),
    };
    const times = fixed(32, { [SUBMITTED]: TIME, [DELIVERED]: later });
    assert.equal((await read({ ...MESSAGE, ...sender, ...times })).text, HEAD);
    const received = await read({ ...sender, ...fixed(32, { [DELIVERED]: later }) });
    assert.deepEqual(received.about, {
      author: 'Office of Ann <office@example.org>',
      created_at: '2025-03-03T10:00:00.000Z',
    });
  });

  it('is read from its plain text, its HTML or its RTF, whatever it has', async () => {
    const html = '<html><meta charset="windows-1252"><h2>Br\xfccke</h2><p>12 euros</html>';
    assert.equal(
      await bodyOf(binary('1013', Buffer.from(html, 'latin1'))),
      '## Brücke\n\n12 euros',
    );
    assert.equal(await bodyOf(unicode('1013', '<p>12 euros')), '12 euros');
    const rtf = '{\\rtf1\\ansi\\fromhtml1{\\*\\htmltag <p>}\\htmlrtf {\\htmlrtf0 12 euros\\par }';
    const header = Buffer.alloc(16);
    header.write('MELA', 8);
    assert.equal(
      await bodyOf(binary('1009', Buffer.concat([header, Buffer.from(rtf)]))),
      '12 euros',
    );
    // This is the first example of MS-OXRTFCP, section 3.1.
    const compressed =
      '2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232' +
      '0af32068656c090020627705b06c647d0a800fa0';
    assert.equal(await bodyOf(binary('1009', Buffer.from(compressed, 'hex'))), 'hello world');
  });

  it('of an older version is in a code page', async () => {
    const tree = {
      ...fixed(32, { 1071513603: 1251n }),
      '__substg1.0_0037001E': Buffer.from('\xcc\xee\xf1\xf2', 'latin1'),
      '__substg1.0_0C1A001E': Buffer.from('Ann'),
      '__substg1.0_0C1F001E': Buffer.from('/O=EXCHANGE/CN=ANN'),
    };
    assert.equal((await read(tree)).text, '# Мост\n\nFrom: Ann');
  });

  it('has two code pages: one of its HTML and one of its other texts', async () => {
    const [INTERNET, MESSAGE] = [0x3fde0003, 0x3ffd0003];
    const subject = (text: Buffer): CompoundTree => ({ '__substg1.0_0037001E': text });
    const page = binary('1013', Buffer.from('<p>\xcf\xf0\xe8\xe2\xe5\xf2', 'latin1'));
    for (const [pages, tree, text] of [
      [
        { [INTERNET]: 65001n, [MESSAGE]: 1252n },
        subject(Buffer.from('Br\xfccke', 'latin1')),
        '# Brücke',
      ],
      [{ [INTERNET]: 50220n, [MESSAGE]: 932n }, subject(Buffer.from('93fa967b', 'hex')), '# 日本'],
      [{ [INTERNET]: 1251n, [MESSAGE]: 1252n }, page, 'Привет'],
      [{ [INTERNET]: 28595n }, binary('1013', Buffer.from('<p>\xbf\xe0', 'latin1')), 'Пр'],
      [{ [MESSAGE]: 1251n }, page, 'Привет'],
    ] as const)
      assert.equal((await read({ ...fixed(32, pages), ...tree })).text, text);
  });

  it('keeps the headings and tables of its RTF, also inside of another message', async () => {
    const header = Buffer.alloc(16);
    header.write('MELA', 8);
    const rtf =
      '{\\rtf1\\ansi{\\stylesheet{\\s1\\outlinelevel0 heading 1;}}{\\pard\\s1\\outlinelevel0 Title\\par}' +
      '{\\pard # no heading\\par}\\trowd\\cellx100\\cellx200 a\\cell b\\cell\\row\\trowd\\cellx100\\cellx200 c\\cell d\\cell\\row}';
    const body = binary('1009', Buffer.concat([header, Buffer.from(rtf)]));
    const text = '# Title\n\n\\# no heading\n\n| a | b |\n| --- | --- |\n| c | d |';
    assert.equal(await bodyOf(body), text);
    const inner = { ...fixed(24, {}), ...body };
    const outer = { '__attach_version1.0_#00000000': { '__substg1.0_3701000D': inner } };
    assert.equal(await innerTextOf(outer), text);
  });

  it('inside of another message keeps the richer form of its text', async () => {
    const inner = {
      ...fixed(24, {}),
      ...unicode('1000', 'Use another program.'),
      ...unicode('1013', '<h2>Prices</h2><p>The bridge costs <b>12</b> euros in May and in June.'),
    };
    const outer = { '__attach_version1.0_#00000000': { '__substg1.0_3701000D': inner } };
    assert.equal(
      await innerTextOf(outer),
      '## Prices\n\nThe bridge costs 12 euros in May and in June.',
    );
  });

  it('has its files and messages inside of it, and not the pictures of its text', async () => {
    const inner = (subject: string, more: CompoundTree): CompoundTree => ({
      '__substg1.0_3701000D': {
        ...fixed(24, { [SUBMITTED]: TIME }),
        ...unicode('0037', subject),
        ...unicode('0042', 'Cleo "C", <x@y>'),
        ...PEOPLE,
        ...more,
      },
    });
    const deep = inner('Deep', unicode('1000', 'The oldest.'));
    const tree: CompoundTree = {
      ...MESSAGE,
      '__attach_version1.0_#00000000': file('../plan.txt', 'We meet.'),
      '__attach_version1.0_#00000001': file('logo.png', 'x', {
        ...unicode('370E', 'image/png'),
        ...unicode('3712', 'logo@1'),
      }),
      '__attach_version1.0_#00000002': inner('Re: old/new', {
        ...unicode('1000', 'The old text.'),
        '__attach_version1.0_#00000000': file("it's ü.txt", 'Inside.'),
        '__attach_version1.0_#00000001': deep,
      }),
      '__attach_version1.0_#00000004': file(
        'smime.p7m',
        'Subject: Signed\n\nYes',
        unicode('370E', 'multipart/signed'),
      ),
      '__attach_version1.0_#00000003': { ...fixed(8, {}), ...unicode('3707', 'a link') },
    };
    const outcome = await convertedFile('msg', 'a.msg', compoundFile(tree));
    assert.ok(outcome.is === 'text');
    assert.deepEqual(
      outcome.inner?.map(({ name }) => name),
      [undefined, 'Re: old/new', undefined, undefined, undefined],
    );
    const found = (outcome.inner ?? []).map(({ path, outcome: one }) => [
      path,
      one.is === 'text' && one.text,
    ]);
    const old = 'message.eml';
    assert.deepEqual(found, [
      ['plan.txt', 'We meet.'],
      [
        old,
        '# Re: old/new\n\nFrom: Cleo "C", <x@y>\nTo: Ben <ben@example.org>\n' +
          'Cc: Jürgen <juergen@example.org>\nDate: 2025-03-03 09:00 UTC\n\nThe old text.',
      ],
      [`${old}!/it's ü.txt`, 'Inside.'],
      [
        `${old}!/message.eml`,
        '# Deep\n\nFrom: Cleo "C", <x@y>\nTo: Ben <ben@example.org>\n' +
          'Cc: Jürgen <juergen@example.org>\nDate: 2025-03-03 09:00 UTC\n\nThe oldest.',
      ],
      ['signed message.eml', '# Signed\n\nYes'],
    ]);
  });

  it('says so when it is encrypted', async () => {
    const tree = {
      ...unicode('001A', 'IPM.Note.SMIME'),
      '__attach_version1.0_#00000000': file('smime.p7m', 'x'),
    };
    assert.equal(await bodyOf(tree), 'The text of this message is encrypted.');
  });

  it('is read as what it is when it is only called so', async () => {
    const sent = await convertedAll(convert, mailFile([], 'Hello'));
    assert.match(sent.text, /Hello$/);
    // This is a definition of a message of a robot, in which '#' begins a comment.
    const definition = '# the place\nint32 x\n';
    assert.deepEqual(await converted(convert, Buffer.from(definition)), {
      text: definition,
      isPlain: true,
    });
    const random = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + i) % 256));
    assert.deepEqual(await convertedFile('msg', 'a.msg', random), {
      is: 'skip',
      omission: { reason: 'binary' },
    });
  });

  it('does no harm when it is damaged anywhere, or has messages in a thousand messages', {
    timeout: 60_000,
  }, async () => {
    const tree = {
      ...MESSAGE,
      ...unicode('1000', 'Hello'),
      '__attach_version1.0_#00000000': file('a.txt', 'x'),
    };
    for (const bytes of damaged(compoundFile(tree), 1000)) {
      const outcome = await convertedFile('msg', 'a.msg', bytes);
      assert.ok(['text', 'broken', 'skip'].includes(outcome.is));
    }
    let deep: CompoundTree = { ...fixed(24, {}), ...unicode('0037', 'Deepest') };
    for (let i = 0; i < 1000; i++)
      deep = {
        ...fixed(24, {}),
        '__attach_version1.0_#00000000': { '__substg1.0_3701000D': deep },
      };
    const outcome = await convertedFile('msg', 'a.msg', compoundFile(deep));
    assert.ok(outcome.is === 'text');
    assert.deepEqual(
      outcome.inner?.map(({ outcome: one }) => one.is),
      ['text', 'text', 'text', 'skip'],
    );
  });
});

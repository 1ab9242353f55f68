import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { convert } from './vcf.ts';

const card = (...lines: string[]): string =>
  ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');
const textOf = async (...cards: string[]): Promise<string> =>
  (await converted(convert, Buffer.from(cards.join('')))).text;

describe('contacts', () => {
  it('have a heading each, with everything that leads to the person, and no pictures', async () => {
    const ann = card(
      'VERSION:3.0',
      'N:Miller;Ann;Maria;Dr.;',
      'FN:Dr. Ann Miller',
      'ORG:Example Ltd.;Bridges\\; roads',
      'TITLE:Engineer',
      'ROLE:Head of bridges',
      'NICKNAME:Annie',
      'item1.EMAIL;TYPE=INTERNET,WORK:ann@example.org',
      'TEL;TYPE=cell;TYPE=voice;TYPE=pref:+49 30 1234',
      'ADR;TYPE=home:;;1 Bridge Street;Berlin;;10115;Germany',
      'URL:https://example.org/ann',
      'IMPP;TYPE=work:xmpp:ann@example.org',
      'BDAY:1980-01-02',
      'CATEGORIES:colleagues,north',
      'NOTE:Met in May.\\n# Likes bridges',
      `PHOTO;ENCODING=b;TYPE=JPEG:${'/9j4'.repeat(20)}`,
      ` ${'/9j4'.repeat(20)}`,
    );
    assert.deepEqual(await converted(convert, Buffer.from(ann)), {
      text: `## Dr. Ann Miller

- Nickname: Annie
- Organization: Example Ltd., Bridges; roads
- Title: Engineer
- Role: Head of bridges
- Telephone (cell): +49 30 1234
- E-mail (work): ann@example.org
- Address (home): 1 Bridge Street, Berlin, 10115, Germany
- Website: https://example.org/ann
- Messages (work): xmpp:ann@example.org
- Birthday: 1980-01-02
- Categories: colleagues, north

Met in May.
\\# Likes bridges`,
      about: { title: 'Dr. Ann Miller' },
    });
    assert.match(await textOf(ann, card('FN:Ben')), /bridges\n\n## Ben$/);
  });

  it('of the versions 2.1 and 4.0 are read', async () => {
    assert.equal(
      await textOf(
        card(
          'N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;Ann',
          'TEL;HOME;VOICE:030 1',
          'AGENT:',
          'BEGIN:VCARD',
          'FN:agent',
          'END:VCARD',
        ),
        card(
          'FN:Ben',
          'TEL;VALUE=uri;TYPE="home,work":tel:+49-30-2',
          'EMAIL:mailto:ben@example.org',
        ),
      ),
      `## Ann Müller

- Telephone (home): 030 1

## Ben

- Telephone (home, work): +49-30-2
- E-mail: ben@example.org`,
    );
  });

  it('without a name are called by what there is', async () => {
    const named = async (...lines: string[]) => (await textOf(card(...lines))).split('\n', 1)[0];
    assert.equal(await named('ORG:Example Ltd.'), '## Example Ltd.');
    assert.equal(await named('EMAIL:ann@example.org'), '## ann@example.org');
    assert.equal(await named(), '## contact without a name');
  });

  it('whose end is missing are read as far as they go', async () => {
    for (const [file, text] of [
      ['BEGIN:VCARD\nFN:cut off', '## cut off'],
      ['BEGIN:VCARD\nFN:Ann\nBEGIN:VCARD\nFN:Ben\nEND:VCARD\n', '## Ann\n\n## Ben'],
    ] as const)
      assert.equal(await textOf(file), text);
  });

  it('may be folded within a character, and keep the blank after a soft line break', async () => {
    const folded = Buffer.from(card('FN:Müller', 'ORG:Zürich').replace('ü', 'Ã\r\n ¼'), 'latin1');
    const bytes = Buffer.from(folded.toString('latin1').replace('\xfc', '\xc3\xbc'), 'latin1');
    const { text } = await converted(convert, bytes);
    assert.equal(text, '## Müller\n\n- Organization: Zürich');
    const note = 'NOTE;ENCODING=QUOTED-PRINTABLE:Hello=\r\n world';
    assert.equal(await textOf(card('FN:Ann', note)), '## Ann\n\nHello world');
  });

  it('of any other form are left out', async () => {
    for (const file of ['', 'Hello', '<html>', 'END:VCARD'])
      assert.deepEqual(await convertedFile('vcf', 'a.vcf', Buffer.from(file)), {
        is: 'skip',
        omission: { reason: 'without text that can be read', detail: 'the file has no contacts' },
      });
    const random = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + i) % 256));
    const outcome = await convertedFile('vcf', 'a.vcf', random);
    assert.deepEqual(outcome, { is: 'skip', omission: { reason: 'binary' } });
  });

  it('of a great number, or with great pictures, are read within limits', {
    timeout: 60_000,
  }, async () => {
    const many = await textOf(...Array.from({ length: 10_000 }, (_, i) => card(`FN:No. ${i}`)));
    assert.match(many, /## No\. 9999$/);
    const photo = `PHOTO:${`${'x'.repeat(74)}\r\n `.repeat(200_000)}`;
    assert.equal(
      await textOf(card(photo, 'FN:Ann', ...Array.from({ length: 100_000 }, () => 'TEL:1'))).then(
        (text) => text.split('\n').length,
      ),
      102,
    );
    assert.match(await textOf(card(`N:${';'.repeat(190_000)}`, 'FN:Ann')), /^## Ann/);
  });
});

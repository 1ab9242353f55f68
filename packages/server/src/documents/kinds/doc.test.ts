import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { compoundFile } from '../../test/documents/compound-file.ts';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { damaged } from '../../test/documents/damaged.ts';
import { docStreams } from '../../test/documents/doc-file.ts';
import { docxFile, paragraph } from '../../test/documents/docx-file.ts';
import { mailOf, multipart, textPart } from '../../test/documents/mail-file.ts';
import { takesAtMost } from '../../test/processor-time.ts';
import { readCompound } from '../compound/file.ts';
import { readDoc } from '../doc/read.ts';
import { convert } from './doc.ts';

const FILE = readFileSync(new URL('../../test/documents/files/bridges.doc', import.meta.url));
const EDITED = readFileSync(new URL('../../test/documents/files/edited.doc', import.meta.url));
const textOf = async (bytes: Uint8Array): Promise<string> => (await converted(convert, bytes)).text;

const numbers = (values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);

describe('a binary document of Word', () => {
  it('that LibreOffice has written becomes headings, paragraphs, lists, a table and notes', async () => {
    assert.deepEqual(await converted(convert, FILE), {
      text: `# Report on bridges

# Stone bridges

The Grüne Brücke in Köln costs 12 € – “today”, Москва, 日本.[1] It stands.

A link to a page and a tab here, and a line
break.

## Prices

- First item
  - Inner item
- Second item

1. Numbered one
2. Numbered two

| Name | Year | Price |
| --- | --- | --- |
| Old bridge of stone | 1765 | 12 € |
| New bridge |  | 1,204 |

# Iron bridges

\\# Not a heading

The end.[2]

1. A note on the price.
2. An end note.`,
      about: { title: 'Report on bridges', author: 'Ann Miller' },
    });
  });

  it('has neither deleted nor hidden text with its notes, but wide tables and text boxes', async () => {
    assert.equal(
      await textOf(EDITED),
      `A deleted word and a note.[1]

The paragraphs

are joined.

A hidden word.

Around the box.

| a1 | a2 | a3 | a4 | a5 | a6 | a7 | a8 |
| --- | --- | --- | --- | --- | --- | --- | --- |
| b1 | b2 | b3 | b4 | b5 | b6 | b7 | b8 |

The end.

A text box.

1. A note that stays.`,
    );
  });

  it('has one paragraph where the mark between two is deleted, unless a table follows', async () => {
    const deletedUpTo = (text: string) => {
      const main = EDITED.indexOf('eca5', 'hex');
      const bytes = Buffer.from(text, 'utf16le');
      const end = EDITED.indexOf(bytes, main) + bytes.length - main;
      const numbers = Buffer.alloc(4);
      numbers.writeUInt32LE(end - 2);
      const file = Buffer.from(EDITED);
      // LibreOffice leaves the mark out of the deleted run of characters, whose end is stored in one place.
      file.writeUInt32LE(end, file.indexOf(numbers, main));
      return textOf(file);
    };
    assert.match(await deletedUpTo('tail\r'), /\n\nThe paragraphs are joined\.\n\nA hidden/);
  });

  it('of many pieces and notes is read in linear time', () => {
    const count = 20_000;
    const positions = (step: number) => Array.from({ length: count + 1 }, (_, i) => step * i);
    const pieces = Buffer.concat([
      numbers(positions(2)),
      ...Array.from({ length: count }, () => Buffer.from('0000000800400000', 'hex')),
    ]);
    const marks = [numbers(positions(1)), Buffer.alloc(2 * count)];
    const parts: [number, Buffer][] = [
      [33, Buffer.concat([Buffer.from([2]), numbers([pieces.length]), pieces])],
      [2, Buffer.concat(marks)],
      [3, numbers(positions(1))],
    ];
    const main = Buffer.alloc(2048, 'a');
    main.fill(0, 0, 1024);
    main.writeUInt32LE(count, 76);
    main.writeUInt32LE(count, 80);
    const file = readCompound(compoundFile(docStreams(main, parts)));
    takesAtMost(2000, () => assert.match(readDoc(file), /^\[1\]a\[2\]a.*\n20000\. a$/s));
  });

  it('has wide tables by both numbers of the property that says where those of a row stand', async () => {
    const file = Buffer.from(EDITED);
    const property = Buffer.from('4666', 'hex');
    let changed = 0;
    for (let at = file.indexOf(property); at >= 0; at = file.indexOf(property, at + 1)) {
      file[at] = 0x45;
      changed++;
    }
    assert.ok(changed > 0);
    assert.equal(await textOf(file), await textOf(EDITED));
  });

  it('whose paragraphs refer to the same bytes at many offsets is read in linear time', () => {
    const count = 10_000;
    const main = Buffer.alloc((count + 4) * 512);
    for (let i = 0; i < count; i++) {
      const page = main.subarray((i + 4) * 512, (i + 5) * 512);
      page.writeUInt32LE(i, 0);
      page.writeUInt32LE(i + 1, 4);
      page[8] = 10;
      // The properties are the number of a style and one property, whose operand is an offset.
      page.write('00040000' + '4666', 20, 'hex');
      page.writeUInt32LE(3 * i, 26);
      page[511] = 1;
    }
    const pages = numbers(Array.from({ length: count }, (_, i) => i + 4));
    const bins = Buffer.concat([numbers(Array.from({ length: count + 1 }, (_, i) => i)), pages]);
    const Data = Buffer.from('ff3f00'.repeat(20_000), 'hex');
    const file = readCompound(compoundFile({ ...docStreams(main, [[13, bins]]), Data }));
    takesAtMost(1000, () => assert.equal(readDoc(file), ''));
  });

  it('that is broken, protected or older than Word 97 is refused with a reason', async () => {
    const header = (version: number, flags: number) => {
      const bytes = Buffer.alloc(2000);
      bytes.writeUInt16LE(0xa5ec, 0);
      bytes.writeUInt16LE(version, 2);
      bytes.writeUInt16LE(flags, 10);
      return compoundFile({ WordDocument: bytes, '0Table': Buffer.alloc(10) });
    };
    const random = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + i) % 256));
    for (const [bytes, reason] of [
      [header(0xc1, 0x0100), 'the document is protected by a password'],
      [
        compoundFile({ EncryptionInfo: Buffer.alloc(9), EncryptedPackage: Buffer.alloc(9) }),
        'the document is protected by a password',
      ],
      [header(0x68, 0), 'the document is in the format of Word 95 or of an older one'],
      [header(0xc1, 0x0200), 'the file is broken or is not a document of Word'],
      [
        compoundFile({ Workbook: Buffer.alloc(9) }),
        'the file is broken or is not a document of Word',
      ],
      [random, 'the file is broken or is not a document of Word'],
      [FILE.subarray(0, 400), 'the file is broken or is not an Office document'],
    ] as const)
      await assert.rejects(converted(convert, bytes), { message: reason });
    assert.equal(await textOf(header(0xc1, 0)), '');
  });

  it('does no harm when it is damaged anywhere', { timeout: 60_000 }, async () => {
    for (const whole of [FILE, EDITED])
      for (const file of damaged(whole, 500)) {
        const outcome = await convertedFile('doc', 'a.doc', file);
        assert.ok(outcome.is === 'text' || outcome.is === 'broken');
        if (outcome.is === 'text') assert.ok(outcome.text.length < 40 * whole.length);
      }
  });
});

describe('a file that is only called DOC', () => {
  it('is read as what it is: RTF, DOCX, a page, a saved page, text', async () => {
    assert.equal(await textOf(Buffer.from('{\\rtf1\\ansi Hello {\\b Ben}}')), 'Hello Ben');
    assert.equal(await textOf(docxFile(paragraph('Hello Ben'))), 'Hello Ben');
    const page = '<html><body><h1>Hello</h1><p>Ben</body></html>';
    assert.equal(await textOf(Buffer.from(page)), '# Hello\n\nBen');
    assert.equal(await textOf(Buffer.from(`<?xml version="1.0"?>\n${page}`)), '# Hello\n\nBen');
    const saved = multipart('related', [textPart(page, 'text/html')]);
    assert.equal(await textOf(mailOf(saved)), '# Hello\n\nBen');
    assert.equal(await textOf(Buffer.from('Hello Ben\n# 1')), 'Hello Ben\n\\# 1');
  });

  it('is refused when it is XML, such as that of Word 2003', async () => {
    const body =
      '<w:body><w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>Hello</w:t></w:r></w:p></w:body>';
    const word = `<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">${body}</w:wordDocument>`;
    const flat = `<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">${body}</pkg:package>`;
    for (const xml of [word, flat])
      await assert.rejects(
        converted(
          convert,
          Buffer.from(`<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>${xml}`),
        ),
        {
          message: 'the document is in an XML format, such as that of Word 2003',
          hint: 'Open it in Word or LibreOffice, and save a copy as DOCX.',
        },
      );
  });
});

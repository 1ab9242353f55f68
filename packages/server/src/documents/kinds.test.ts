import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  asciiHeadOf,
  extractVersion,
  isCurrentExtract,
  kindOf,
  largestBytes,
  outdatedKinds,
  reasonToLeaveOut,
  tooLarge,
  tooMuchText,
} from './kinds.ts';

const MB = 1024 * 1024;
const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('the selection of files by name and size', () => {
  for (const name of ['a.md', 'a.ts', 'Makefile', '.env', 'a.unheard-of', 'a.PDF', 'a.docx', 'png'])
    it(`takes ${name}`, () => assert.equal(reasonToLeaveOut(name, 1), null));

  for (const name of ['a.heic', 'a.tar.xz', 'A.EXE', 'x.sqlite3', 'x.7z', 'x.3gp'])
    it(`leaves out ${name}`, () =>
      assert.deepEqual(reasonToLeaveOut(name, 1), { reason: 'of a kind without text' }));

  it('leaves out an optional kind that this installation does not read, and says what it needs', () => {
    for (const [name, needs] of [
      ['a.png', /install text recognition/],
      ['A.MP3', /set QUARRY_TRANSCRIBER/],
    ] as const) {
      const { reason, hint } = reasonToLeaveOut(name, 1) ?? {};
      assert.equal(reason, 'of a kind without text');
      assert.match(hint ?? '', needs);
    }
  });

  it('takes an optional kind that this installation reads, up to the size that it allows', () => {
    const optional = new Map([['image', 2]] as const);
    assert.equal(reasonToLeaveOut('a.png', 2 * MB, optional), null);
    assert.equal(reasonToLeaveOut('a.png', 2 * MB + 1, optional)?.reason, 'too large');
    assert.equal(reasonToLeaveOut('a.mp3', 1, optional)?.reason, 'of a kind without text');
    assert.equal(largestBytes('a.png', optional), 2 * MB);
  });

  it('names a kind of file that is not read yet, with a way to make it readable', () =>
    assert.deepEqual(reasonToLeaveOut('Plan.NUMBERS', 1), {
      reason: 'of a kind that is not read yet',
      detail: 'a spreadsheet (.numbers)',
      hint: 'Save a copy as XLSX or CSV.',
    }));

  for (const [name, most] of Object.entries({
    'a.txt': 20,
    'a.html': 20,
    'a.pdf': 100,
    'a.docx': 100,
  }))
    it(`takes ${name} up to ${most} MB`, () => {
      assert.equal(reasonToLeaveOut(name, most * MB), null);
      assert.deepEqual(reasonToLeaveOut(name, most * MB + 1), {
        reason: 'too large',
        detail: `${most}.0 MB, more than ${most} MB`,
      });
    });

  it('reports the size of a file that is too large', () =>
    assert.equal(tooLarge('pdf', 123.46 * MB)?.detail, '123.5 MB, more than 100 MB'));

  it('reports the length of a text that is too long', () => {
    assert.equal(tooMuchText('x'.repeat(10_000_000)), null);
    assert.deepEqual(tooMuchText('x'.repeat(10_000_001)), {
      reason: 'with too much text',
      detail: '10000001 characters, more than 10000000',
    });
  });
});

describe('the kind of a file', () => {
  for (const [name, head, kind] of [
    ['a.html', 'x', 'html'],
    ['a.HTM', 'x', 'html'],
    ['a.xhtml', 'x', 'html'],
    ['a.pdf', '<html>', 'pdf'],
    ['a.docx', 'PK', 'docx'],
    ['a.EML', 'x', 'eml'],
    ['a.mht', 'x', 'eml'],
    ['a.mbox', 'x', 'mbox'],
    ['a.txt', 'Message-ID: <7@a>\r\nMIME-Version: 1.0\r\n\r\n', 'eml'],
    ['a', 'From a@b Mon Mar  3 10:00:00 2025\nMessage-ID: <7@a>\nReceived: b\n', 'mbox'],
    ['a.ics', 'x', 'ics'],
    ['a.doc', 'x', 'doc'],
    ['a.dot', 'digraph { a -> b }', 'plain'],
    ['a.dot', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'doc'],
    ['a.xls', 'x', 'xls'],
    ['a.msg', 'x', 'msg'],
    ['a.ppt', 'x', 'ppt'],
    ['a.pot', 'msgid "a"', 'plain'],
    ['a.pot', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'ppt'],
    ['a', 'begin:vcalendar\n', 'ics'],
    ['a.vcf', 'x', 'vcf'],
    ['a.txt', '\nBEGIN:VCARD\r\nVERSION:4.0', 'vcf'],
    ['a.RTF', 'x', 'rtf'],
    ['a.txt', '{\\rtf1\\ansi Hello', 'rtf'],
    ['a.txt', 'x', 'plain'],
    ['a', 'x', 'plain'],
    ['a.ipynb', 'x', 'ipynb'],
    ['a.json', '{"cells": [{"cell_type": "code"}]}', 'ipynb'],
    ['a', '\n{"worksheets": [{"cells": [{"cell_type": "heading"}]}]}', 'ipynb'],
    ['a.json', '{"cells": [1], "cell_type": {"enum": ["code"]}}', 'plain'],
    ['a.md', 'The field {"cells": [{"cell_type": "code"}]}', 'plain'],
    ['a.vtt', 'x', 'subtitles'],
    ['a.svgz', 'x', 'svg'],
    ['a.xml', '<svg width="9">', 'svg'],
    ['README.md', '<svg width="9"></svg>\n\n# Title', 'plain'],
    ['a.rss', 'x', 'xml'],
    ['a.xml', '<?xml version="1.0"?>\n<!-- <a> -->\n<!DOCTYPE a [<!ENTITY b "c">]>\n<feed>', 'xml'],
    ['a.txt', '<?xml version="1.0"?><rss version="2.0">', 'xml'],
    ['a', '<TEI xmlns="http://www.tei-c.org/ns/1.0">', 'xml'],
    ['a.xml', '<orders><order id="1"/></orders>', 'xml'],
    ['pom.xml', '<project xmlns="http://maven.apache.org/POM/4.0.0">', 'plain'],
    [
      'activity_main.xml',
      '<LinearLayout xmlns:android="http://schemas.android.com/apk/res/android">',
      'plain',
    ],
    ['services.xml', '<beans><bean id="a"/></beans>', 'plain'],
    ['web.config', '<?xml version="1.0"?><configuration>', 'plain'],
    ['App.csproj', '<?xml version="1.0"?><Project Sdk="Microsoft.NET.Sdk">', 'plain'],
    ['a.xml', '<mxfile>', 'plain'],
    ['a.xml', 'not XML', 'plain'],
    ['a.tar.gz', 'x', 'gzip'],
    ['a', '\x1f\x8b\b\0', 'gzip'],
    ['a', 'PK\x03\x04\x14', 'zip'],
    ['a', 'PK\x03\x04\x14 [Content_Types].xml', 'plain'],
    ['a', '%PDF-1.7', 'pdf'],
    ['a.txt', '\n %PDF-1.7', 'pdf'],
    ['a.txt', 'see %PDF-1.7', 'plain'],
    ['a', '<!DOCTYPE html><p>', 'html'],
    ['a', '\xef\xbb\xbf<html lang="en">', 'html'],
    ['a', '<htmlish>', 'plain'],
    ['a', 'x <html>', 'plain'],
    ['a.php', '<html>', 'plain'],
    ['a', `${' '.repeat(1024)}%PDF-`, 'plain'],
    ['a', `${' '.repeat(1019)}%PDF-`, 'pdf'],
  ] as const)
    it(`${name} with ${JSON.stringify(head.trim())} is ${kind}`, () =>
      assert.equal(kindOf(name, asciiHeadOf(bytes(head))), kind));
});

describe('the version of a text with files inside that were left out', () => {
  const ocr = new Map([['image', 50]] as const);
  const version = extractVersion(['zip'], ['b/c.PNG', 'a.pst', 'a.exe', 'a.mp3', 'a.docx', 'c']);

  it('names the kinds that may be read once', () =>
    assert.match(version, /^inside-png inside-pst zip-\d+$/));

  it('is current until one of these kinds is read', () => {
    assert.equal(isCurrentExtract(version), true);
    assert.deepEqual(outdatedKinds(version, ocr), ['inside']);
    assert.equal(isCurrentExtract(extractVersion(['zip'], ['c.png', 'a.pst'], ocr), ocr), true);
    assert.deepEqual(outdatedKinds(`inside-docx ${extractVersion(['zip'])}`), ['inside']);
  });

  it('is outdated for a PDF that may be scanned when pictures are read', () => {
    const scans = extractVersion(['zip'], ['a.pdf']);
    assert.deepEqual([isCurrentExtract(scans), isCurrentExtract(scans, ocr)], [true, false]);
  });
});

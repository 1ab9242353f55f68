import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notReadByContent, notReadByName } from './not-read.ts';

const REASON = 'of a kind that is not read yet';

describe('files of kinds that are not read yet', () => {
  for (const [name, detail] of Object.entries({
    'Re Offer.EML': 'e-mail (.eml)',
    'all.mbox': 'e-mail (.mbox)',
    'analysis.nb': 'a notebook (.nb)',
    'Plan.xlsx': 'a spreadsheet (.xlsx)',
    'team.vcf': 'a calendar or contacts (.vcf)',
    'a/b/talk.odp': 'slides (.odp)',
    'page.mhtml': 'a recording of the web (.mhtml)',
  }))
    it(`are recognized by a name such as ${name}`, () => {
      const omission = notReadByName(name);
      assert.deepEqual([omission?.reason, omission?.detail], [REASON, detail]);
      assert.match(omission?.hint ?? '', /^[A-Z].*\.$/);
    });

  for (const name of ['a.md', 'eml', 'eml.txt', 'a.json', 'a.xml', 'a.geojson', 'a.srt', 'a.dot'])
    it(`do not include ${name}`, () => assert.equal(notReadByName(name), null));

  const mail =
    'Return-Path: <ann@example.org>\r\nReceived: from mx (mx [192.0.2.1])\r\n\tby imap; Mon, 3 Mar 2025\r\n' +
    'From: Ann <ann@example.org>\r\nSubject: Offer\r\nMIME-Version: 1.0\r\n\r\nSGVsbG8=\r\n';
  const xml = (root: string) =>
    `<?xml version="1.0"?>\n<!-- <a> -->\n<!DOCTYPE a [<!ENTITY b "c">]>\n<${root} version="1">`;
  for (const [what, name, head, detail] of [
    ['a message', 'letter.txt', mail, 'e-mail'],
    ['a message without an extension', '1', mail.replaceAll('\r', ''), 'e-mail'],
    ['a message behind blank lines', 'a.txt', `\n\n${mail}`, 'e-mail'],
    ['a box of mail', 'inbox', `From ann@example.org Mon Mar  3 10:00:00 2025\n${mail}`, 'e-mail'],
    [
      'a saved page',
      'page.txt',
      `From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\n\r\n`,
      'a recording of the web',
    ],
    ['RTF', 'a.txt', '{\\rtf1\\ansi Hello', 'a document of a word processor'],
    ['PostScript', 'a.txt', '%!PS-Adobe-3.0\n', 'pages for a printer'],
    ['a contact', 'a.txt', 'BEGIN:VCARD\r\nVERSION:4.0', 'a calendar or contacts'],
    ['a calendar', 'a', 'begin:vcalendar\n', 'a calendar or contacts'],
    ['a certificate', 'a.txt', '-----BEGIN CERTIFICATE-----\nMIID', 'encoded or encrypted'],
    ['a message of PGP', 'a', '-----BEGIN PGP MESSAGE-----\n', 'encoded or encrypted'],
    ['an encoded file', 'a.txt', 'begin 644 a.gif\nM1TE&', 'encoded or encrypted'],
    ['a track', 'a.txt', xml('TrainingCenterDatabase'), 'a map or a track'],
    ['a diagram', 'a', '<mxfile host="a">', 'a drawing or a model'],
    ['a flat document', 'a.xml', xml('office:document'), 'a document of a word processor'],
  ] as const)
    it(`are recognized by their beginning: ${what}`, () => {
      const omission = notReadByContent(name, head);
      assert.deepEqual(
        [omission?.reason, omission?.detail],
        [REASON, `${detail}, going by its content`],
      );
    });

  for (const [what, name, head] of [
    ['a note with fields', 'a.md', 'From: Ann\nTo: Ben\nSubject: Offer\nDate: today\n\nHello'],
    ['a note about mail', 'a.txt', `My provider adds\n${mail}`],
    ['one field of a message', 'a.txt', 'Message-ID: 7\nStatus: open\n\nHello'],
    [
      'a patch',
      '0001-a.patch',
      `From ${'a1'.repeat(20)} Mon Sep 17 00:00:00 2001\nFrom: Ann\nMIME-Version: 1.0\n` +
        'Content-Transfer-Encoding: 8bit\nSubject: [PATCH] a\n\n---\n',
    ],
    ['JSON with cells', 'a.json', '{"cells": [1, 2], "cell_type": {"enum": ["code"]}}'],
    ['XML of a program', 'pom.xml', xml('project')],
    ['Markdown with a drawing', 'README.md', '<svg width="9"></svg>\n\n# Title'],
    ['a signed text', 'a.txt', '-----BEGIN PGP SIGNED MESSAGE-----\n\nHello'],
    ['a key, which people may take in', 'a.txt', '-----BEGIN PRIVATE KEY-----\nMIID'],
    ['a sentence', 'a.txt', 'begin with 644 birds'],
    ['nothing', 'a.txt', ''],
  ] as const)
    it(`do not include ${what}`, () => assert.equal(notReadByContent(name, head), null));
});

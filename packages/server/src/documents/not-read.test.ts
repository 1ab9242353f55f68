import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notReadByContent, notReadByName } from './not-read.ts';

const REASON = 'of a kind that is not read yet';

describe('files of kinds that are not read yet', () => {
  for (const [name, detail] of Object.entries({
    'Outlook.PST': 'mail of Outlook (.pst)',
    'analysis.nb': 'a notebook (.nb)',
    'Plan.numbers': 'a spreadsheet (.numbers)',
    'a/b/talk.sxi': 'slides (.sxi)',
    'page.warc': 'a recording of the web (.warc)',
  }))
    it(`are recognized by a name such as ${name}`, () => {
      const omission = notReadByName(name);
      assert.deepEqual([omission?.reason, omission?.detail], [REASON, detail]);
      assert.match(omission?.hint ?? '', /^[A-Z].*\.$/);
    });

  for (const name of ['a.md', 'eml', 'eml.txt', 'a.json', 'a.xml', 'a.geojson', 'a.srt', 'a.dot'])
    it(`do not include ${name}`, () => assert.equal(notReadByName(name), null));

  const xml = (root: string) =>
    `<?xml version="1.0"?>\n<!-- <a> -->\n<!DOCTYPE a [<!ENTITY b "c">]>\n<${root} version="1">`;
  for (const [what, name, head, detail] of [
    ['PostScript', 'a.txt', '%!PS-Adobe-3.0\n', 'pages for a printer'],
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

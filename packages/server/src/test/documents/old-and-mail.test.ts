/** Tests that the limited process, which can read only its own code, loads and runs the converters of all these kinds. */
import assert from 'node:assert/strict';
import { copyFile, lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createExtractor, type Extractor } from '../../documents/extract.ts';
import { inodeOf } from '../../documents/inode.ts';
import { compoundFile } from './compound-file.ts';
import { filePart, mailOf, multipart, textPart } from './mail-file.ts';
import { pptFile } from './ppt-file.ts';

const FILES = new URL('./files/', import.meta.url);
const mail = mailOf(multipart('mixed', [textPart('The heron.'), filePart('a.txt', 'The weir.')]));
const subject = { '__substg1.0_0037001F': Buffer.from('The heron', 'utf16le') };

describe('the limited process', () => {
  let folder: string;
  let extractor: Extractor;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-kinds-'));
    extractor = createExtractor();
  });
  after(async () => {
    await extractor.close();
    await rm(folder, { recursive: true });
  });

  for (const [name, content, found] of [
    ['bridges.rtf', null, 'rtf-2 # Stone bridges'],
    ['bridges.doc', null, 'doc-2 # Stone bridges'],
    ['budget.xls', null, 'xls-2 ## Budget 2025'],
    ['offer.eml', mail, 'eml-1 The heron.'],
    ['saved.txt', mail, 'eml-1 The heron.'],
    ['all.mbox', `From a@b Mon Mar  3 10:00:00 2025\n${mail}`, 'eml-1 mbox-1 - Offer'],
    ['a.msg', compoundFile(subject), 'msg-1 # The heron'],
    ['a.ppt', pptFile([{ boxes: [{ type: 4, text: 'The heron' }] }]), 'ppt-1 The heron'],
    ['a.vcf', 'BEGIN:VCARD\nFN:The heron\nEND:VCARD', 'vcf-1 ## The heron'],
    [
      'a.ics',
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\nRRULE:FREQ=DAILY\nEND:VEVENT\nEND:VCALENDAR',
      'ics-1 - Repeats: every day',
    ],
  ] as const)
    it(`reads ${name}`, async () => {
      const path = join(folder, name);
      if (content === null) await copyFile(new URL(name, FILES), path);
      else await writeFile(path, content);
      const inode = inodeOf(await lstat(path, { bigint: true }));
      const file = { path, name, size: 1, inode };
      const extracted = await extractor.extract(file, new AbortController().signal);
      assert.ok(extracted.kind === 'text', JSON.stringify(extracted));
      const kinds = extracted.version;
      assert.ok(found.startsWith(`${kinds} `), kinds);
      assert.ok(extracted.text.includes(found.slice(kinds.length + 1)), extracted.text);
    });
});

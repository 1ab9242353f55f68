/** Tests that the process with few rights, which may read only its own code, reads documents of offices. */
import assert from 'node:assert/strict';
import { lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createExtractor, type Extractor } from '../../documents/extract.ts';
import { inodeOf } from '../../documents/inode.ts';
import { docxFile, paragraph } from './docx-file.ts';
import { flatOdfFile, odfFile } from './odf-file.ts';
import { pptxFile, shape, slideParagraph } from './pptx-file.ts';
import { sheetRow, xlsxFile } from './xlsx-file.ts';

describe('documents of offices in the limited process', () => {
  let folder: string;
  let extractor: Extractor;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-office-'));
    extractor = createExtractor();
  });
  after(async () => {
    await extractor.close();
    await rm(folder, { recursive: true });
  });

  const slides = pptxFile([shape(slideParagraph('Talk'), 'title')]);
  const sheets = xlsxFile({ Plan: sheetRow(1, ['a']) });
  const text = '<text:p>hello</text:p>';
  for (const [name, content, version, expected] of [
    ['a.DOCM', docxFile(paragraph('hello')), 'docx-4', { text: 'hello' }],
    ['a.ppsx', slides, 'pptx-2', { text: '## Talk', pages: [0], places: ['slide 1'] }],
    [
      'a.xltm',
      sheets,
      'xlsx-3',
      { text: '## Plan\n\n| a |\n| --- |', pages: [0], places: ['sheet Plan'] },
    ],
    ['a.ott', odfFile(text), 'odt-2', { text: 'hello' }],
    ['a.fodt', flatOdfFile(text), 'odt-2', { text: 'hello' }],
  ] as const)
    it(`are read: ${name}`, async () => {
      const path = join(folder, name);
      await writeFile(path, content);
      const inode = inodeOf(await lstat(path, { bigint: true }));
      const signal = new AbortController().signal;
      const extracted = await extractor.extract(
        { path, name, size: content.length, inode },
        signal,
      );
      assert.ok(extracted.kind === 'text', JSON.stringify(extracted));
      const { contentHash, ...result } = extracted;
      assert.deepEqual(result, { kind: 'text', version, ...expected });
    });
});

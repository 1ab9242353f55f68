import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { zipSync } from 'fflate';
import { createExtractor, type Extracted, type Extractor } from '../../documents/extract.ts';
import { inodeOf } from '../../documents/inode.ts';
import { SourceError } from '../../errors.ts';
import type { FileRef } from '../../model/entity.ts';
import { bullet, docxFile, docxParts, footnotes, grid, paragraph } from './docx-file.ts';
import { encryptedPdf, pdfFile } from './pdf-file.ts';

const MB = 1024 * 1024;

describe('the text of files', () => {
  let folder: string;
  let extractor: Extractor;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-extract-'));
    extractor = createExtractor();
  });
  after(async () => {
    await extractor.close();
    await rm(folder, { recursive: true });
  });

  const signal = new AbortController().signal;
  /** The version of the text and the hash of the file are checked on their own. */
  async function extract(name: string, content: string | Uint8Array) {
    const path = join(folder, name);
    await writeFile(path, content);
    return contentOf(await extractor.extract(await refOf(path, name), signal));
  }
  function contentOf(extracted: Extracted) {
    if (extracted.kind === 'skip') return extracted;
    const { version, contentHash, ...content } = extracted;
    return content;
  }
  /** Returns the reference that the files source gives after it has examined a file. */
  async function refOf(path: string, name: string, size = 1): Promise<FileRef> {
    return { path, name, size, inode: inodeOf(await lstat(path, { bigint: true })) };
  }
  const text = (text: string) => ({ kind: 'text', text });
  const plain = (content: string) => ({ ...text(content), isPlain: true });
  const breaks = (name: string, content: string | Uint8Array, message: string, hint: string) =>
    assert.rejects(extract(name, content), (error) => {
      assert.ok(error instanceof SourceError);
      assert.deepEqual([error.kind, error.message, error.hint], ['skip', message, hint]);
      return true;
    });

  it('[CON-41] is left out when the whole file is a secret, unless include names the file', async () => {
    const key = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n`;
    const leftOut = {
      kind: 'skip',
      reason: 'left out as secrets',
      detail: 'a private key',
      hint: 'To take it in, add its path to include of the connection.',
      removes: 'record',
    };
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(key, 'utf16le')]);
    for (const content of [key, `\ufeff${key}`, utf16])
      for (const name of ['notes', 'notes.md', 'notes.html', 'notes.docx'])
        assert.deepEqual(await extract(name, content), leftOut, name);
    assert.deepEqual(await extract('quoted.md', `A key:\n${key}`), plain(`A key:\n${key}`));
    const path = join(folder, 'named');
    await writeFile(path, key);
    const named = { ...(await refOf(path, 'named')), isNamed: true };
    assert.deepEqual(contentOf(await extractor.extract(named, signal)), plain(key));
  });

  describe('of a PDF', () => {
    it('is the text of its pages, with the offset of each page', async () => {
      const extracted = await extract(
        'pages.pdf',
        pdfFile([['Alpha (one)', 'beta'], [], ['Gamma \\ delta']]),
      );
      assert.deepEqual(extracted, {
        kind: 'text',
        text: 'Alpha (one)\nbeta\n\n\n\nGamma \\ delta',
        pages: [0, 18, 20],
      });
    });

    it('joins words that are hyphenated at the end of a line', async () => {
      const extracted = await extract('hyphen.pdf', pdfFile([['An admin-', 'istrator reads.']]));
      assert.deepEqual(extracted, {
        kind: 'text',
        text: 'An administrator reads.',
        pages: [0],
      });
    });

    it('is found by the content, whatever the name of the file is', async () => {
      const extracted = await extract('notes', pdfFile([['Alpha']]));
      assert.deepEqual(extracted, { kind: 'text', text: 'Alpha', pages: [0] });
    });

    it('is missing when all pages are images', async () => {
      const skipped = {
        kind: 'skip',
        reason: 'without text that can be read',
        detail: 'the pages of the PDF are images',
        hint: 'Install text recognition (docs/documents.md), or recognize its text with ocrmypdf: the next sync reads the result.',
      };
      assert.deepEqual(await extract('scan.pdf', pdfFile([[], [' ']])), skipped);
      const some = await extract('some.pdf', pdfFile([[], ['Alpha']]));
      assert.deepEqual(some, { kind: 'text', text: '\n\nAlpha', pages: [0, 2] });
    });

    it('is refused when the file requires a password', () =>
      breaks(
        'locked.pdf',
        encryptedPdf(),
        'the PDF is protected by a password',
        'Store a copy without the password.',
      ));

    const whole = pdfFile([['Alpha']]);
    for (const [what, content] of Object.entries({
      'is cut off': whole.subarray(0, 60),
      'is random': Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 2654435761) >>> 24)),
      'is HTML': '<!doctype html><p>hello',
      'is empty': '',
    }))
      it(`is refused when the file ${what}`, () =>
        breaks(
          'broken.pdf',
          content,
          'the file is broken or is not a PDF',
          'Open it in a viewer and save it again.',
        ));
  });

  describe('of a DOCX', () => {
    it('has its headings, lists and tables', async () => {
      const body = [
        paragraph('Guide', 'Title'),
        paragraph('First', 'heading1'),
        paragraph('Some text &amp; more.'),
        paragraph('Second', 'heading2'),
        bullet('apples'),
        bullet('pears'),
        grid([
          ['Name', 'Size'],
          ['a|b', '7'],
        ]),
      ].join('');
      assert.deepEqual(
        await extract('guide.docx', docxFile(body)),
        text(
          '# Guide\n\n# First\n\nSome text & more.\n\n## Second\n\n- apples\n- pears\n\n' +
            '| Name | Size |\n| --- | --- |\n| a\\|b | 7 |',
        ),
      );
    });

    it('has its footnotes, without the links back to the text', async () => {
      const note = '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>';
      const more = footnotes('Said elsewhere.');
      assert.deepEqual(
        await extract('notes.docx', docxFile(paragraph('Claim') + note, more)),
        text('Claim\n\n[1]\n\n1. Said elsewhere.'),
      );
    });

    it('may be empty', async () =>
      assert.deepEqual(await extract('empty.docx', docxFile('')), text('')));

    it('does not depend on pictures, whatever their size', async () => {
      const more = { 'word/media/huge.png': new Uint8Array(120 * MB) };
      const content = docxFile(paragraph('beside a picture'), more);
      assert.deepEqual(await extract('picture.docx', content), text('beside a picture'));
    });

    const limits = 'Split it into smaller documents.';
    it('is refused when the file unpacks to too many bytes', async () => {
      const more = { 'word/more.xml': new Uint8Array(100 * MB) };
      const content = docxFile(paragraph('a'), more);
      assert.ok(content.length < MB);
      await breaks('bomb.docx', content, 'the DOCX unpacks to more than 100 MB', limits);
    });

    it('is refused when the file unpacks to too many parts', async () => {
      const parts = Array.from({ length: 10_001 }, (_, i) => [`p${i}`, new Uint8Array()]);
      const content = zipSync(Object.fromEntries(parts), { level: 0 });
      await breaks('parts.docx', content, 'the DOCX unpacks to more than 10000 parts', limits);
    });

    const broken = 'the file is broken or is not a DOCX';
    const hint = 'Open it in the program that has made it, and save it again.';
    it('is refused when the file declares wrong sizes', () => {
      const content = zipSync(docxParts(paragraph('x'.repeat(5000))));
      // The central directory declares the size of word/document.xml at this place.
      const view = Buffer.from(content.buffer, content.byteOffset, content.length);
      const at = view.lastIndexOf('word/document.xml') - 46;
      view.writeUInt32LE(100, at + 24);
      return breaks('lie.docx', content, broken, hint);
    });

    const whole = docxFile(paragraph('a'));
    for (const [what, content] of Object.entries({
      'is cut off': whole.subarray(0, -40),
      'is random': Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 2654435761) >>> 24)),
      'is HTML': '<p>hello',
      'is empty': '',
      'is another archive': zipSync({ 'a.xml': new Uint8Array(3) }),
      'holds no document': zipSync({ '[Content_Types].xml': new Uint8Array(3) }),
    }))
      it(`is refused when the file ${what}`, () => breaks('broken.docx', content, broken, hint));

    it('is refused when the file requires a password', () =>
      breaks(
        'locked.docx',
        Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
        'the DOCX is protected by a password or in the old DOC format',
        'Store a copy as DOCX without the password.',
      ));
  });

  describe('of an HTML page', () => {
    it('is the content of the page, without its navigation', async () =>
      assert.deepEqual(
        await extract(
          'page.html',
          '<title>T</title><nav>left out</nav><p>a\0b</p><ul><li>c</li></ul>',
        ),
        text('# T\n\nab\n\n- c'),
      ));
    it('is missing when the page is binary', async () =>
      assert.deepEqual(await extract('binary.html', Buffer.alloc(2000)), {
        kind: 'skip',
        reason: 'binary',
      }));
    it('is refused when the page nests too many elements', () =>
      assert.rejects(extract('deep.html', '<div>'.repeat(40_000)), {
        name: 'SourceError',
        kind: 'skip',
        message: 'the page nests more than 30000 elements',
        hint: undefined,
      }));
    it('is missing when the page has too many characters', async () =>
      assert.deepEqual(await extract('long.html', 'x'.repeat(10_000_001)), {
        kind: 'skip',
        reason: 'with too much text',
        detail: '10000001 characters, more than 10000000',
      }));
  });

  describe('of a text file', () => {
    for (const [name, content] of Object.entries({
      'a.json': '{"a": [1,\n 2]}',
      'a.ts': 'const a = `x`; // <b>\n',
      'a.csv': 'a;b\n1;2\n',
      'a.md': '# A\n\n- b\n',
      'a.log': '\x1b[31mERROR\x1b[0m x\n',
      Makefile: 'all:\n\techo\n',
      'empty.txt': '',
    }))
      it(`is the unchanged content of ${name}`, async () =>
        assert.deepEqual(await extract(name, content), plain(content)));

    it('is read up to the end of the file', async () => {
      const content = 'word '.repeat(100_000);
      assert.deepEqual(await extract('long.txt', content), plain(content));
    });

    it('is missing when the content has a format that is not read yet', async () => {
      const encrypted = '-----BEGIN PGP MESSAGE-----\n\nhQEMA7Xy\n';
      const skipped = (detail: string) => ({
        kind: 'skip',
        reason: 'of a kind that is not read yet',
        detail,
        hint: 'Store the decoded content.',
      });
      assert.deepEqual(await extract('a.p7m', encrypted), skipped('encoded or encrypted (.p7m)'));
      const marked = [
        encrypted,
        `\uFEFF${encrypted}`,
        Buffer.from(`\uFEFF${encrypted}`, 'utf16le'),
      ];
      for (const content of marked)
        assert.deepEqual(
          await extract('a.txt', content),
          skipped('encoded or encrypted, going by its content'),
        );
    });

    it('is missing when the content is binary, whatever the name says', async () => {
      const skipped = { kind: 'skip', reason: 'binary' };
      assert.deepEqual(await extract('a.txt', Buffer.alloc(300, 1)), skipped);
      const late = Buffer.concat([Buffer.alloc(70_000, 'text '), Buffer.alloc(70_000)]);
      assert.deepEqual(await extract('late.txt', late), skipped);
    });

    it('is missing when more than 2 % of the first 64 KB are control characters', async () => {
      const start = Buffer.alloc(64 * 1024, 'text ');
      const rest = Buffer.alloc(500_000, 'text ');
      start.fill(1, 0, 1310);
      assert.equal((await extract('few.txt', Buffer.concat([start, rest]))).kind, 'text');
      start.fill(1, 0, 1311);
      assert.equal((await extract('many.txt', Buffer.concat([start, rest]))).kind, 'skip');
    });

    it('is missing when there are too many characters', async () =>
      assert.deepEqual(await extract('huge.txt', Buffer.alloc(10_000_001, 'a')), {
        kind: 'skip',
        reason: 'with too much text',
        detail: '10000001 characters, more than 10000000',
      }));
  });

  describe('of a file that cannot be read', () => {
    it('is missing for a picture, which is not even opened', async () =>
      assert.deepEqual(
        await extractor.extract({ path: '/nowhere', name: 'a.png', size: 1, inode: '' }, signal),
        {
          kind: 'skip',
          reason: 'of a kind without text',
          hint: 'To read the text in pictures, install text recognition (docs/documents.md).',
        },
      ));

    it('is missing when the file has grown too large', async () => {
      const path = join(folder, 'grown.pdf');
      await writeFile(path, '');
      await truncate(path, 100 * MB + 1);
      assert.deepEqual(await extractor.extract(await refOf(path, 'grown.pdf'), signal), {
        kind: 'skip',
        reason: 'too large',
        detail: '100.0 MB, more than 100 MB',
      });
    });

    it('is missing for a folder or a pipe', async () => {
      const skipped = { kind: 'skip', reason: 'not a regular file' };
      assert.deepEqual(await extractor.extract(await refOf(folder, 'a.txt'), signal), skipped);
      const path = join(folder, 'pipe');
      await promisify(execFile)('mkfifo', [path]);
      assert.deepEqual(await extractor.extract(await refOf(path, 'pipe', 0), signal), skipped);
    });

    it('is an error when the file does not exist or cannot be opened', async () => {
      await assert.rejects(
        extractor.extract(
          { path: join(folder, 'gone.txt'), name: 'gone.txt', size: 1, inode: '' },
          signal,
        ),
        {
          kind: 'skip',
          message: 'the file cannot be read: it no longer exists',
          hint: 'If it was deleted, the next sync notices.',
        },
      );
      const path = join(folder, 'circle.txt');
      await symlink('circle.txt', path);
      await assert.rejects(extractor.extract(await refOf(path, 'circle.txt'), signal), {
        kind: 'skip',
        message: 'the file cannot be read: ELOOP',
        hint: 'Check it, and the disk it is on.',
      });
    });
  });

  it('is not blamed for an error of the database in which its text is looked for', async () => {
    const path = join(folder, 'asked.html');
    await writeFile(path, '<p>Alpha');
    const refused = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    const find = () => Promise.reject(refused);
    const asked = extractor.extract(await refOf(path, 'asked.html'), signal, find);
    await assert.rejects(asked, (error) => error === refused);
  });

  it('is an error when another file has replaced the examined file', async () => {
    const [path, secret] = [join(folder, 'swapped.txt'), join(folder, 'secret.txt')];
    await writeFile(path, 'public');
    await writeFile(secret, 'secret');
    const ref = await refOf(path, 'swapped.txt');
    const replaced = {
      kind: 'skip',
      message: 'the file cannot be read: another file has replaced it',
      hint: 'The next sync reads the new file.',
    };
    await rename(path, join(folder, 'kept.txt'));
    await symlink(secret, path);
    await assert.rejects(extractor.extract(ref, signal), replaced);
    await rm(path);
    await writeFile(path, 'new');
    await assert.rejects(extractor.extract(ref, signal), replaced);
  });

  it('is not read after the signal of the sync has aborted', async () => {
    const reason = new Error('stopped');
    await assert.rejects(
      extractor.extract(await refOf(folder, 'a.txt'), AbortSignal.abort(reason)),
      reason,
    );
  });

  it('is read correctly from many files at the same time', async () => {
    const pages = await Promise.all(
      Array.from({ length: 60 }, (_, i) => extract(`many-${i}.pdf`, pdfFile([[`Number ${i}`]]))),
    );
    assert.deepEqual(
      pages,
      pages.map((_, i) => ({ kind: 'text', text: `Number ${i}`, pages: [0] })),
    );
  });
});

/** These tests recognize text by the real Tesseract, which is a package for development only. */
import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createExtractor, type Extracted, type Extractor } from '../../documents/extract.ts';
import { inodeOf } from '../../documents/inode.ts';
import { extractVersion } from '../../documents/kinds.ts';
import { findOcr, type OcrSetup } from '../../documents/ocr/setup.ts';
import { must } from '../../util.ts';
import { zipFile } from './archive-file.ts';
import { filePart, mailOf, multipart } from './mail-file.ts';
import { blank, drawn, pngFile, pngOf, scanFile, tiffFile, turned } from './picture-file.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const settings = { folder: ROOT, languages: ['eng'], maxPages: 3 };
const signal = new AbortController().signal;
const MB = 1024 * 1024;

describe('the text in pictures', () => {
  let folder: string;
  let extractor: Extractor;
  let setup: OcrSetup;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-ocr-'));
    setup = must((await findOcr(settings)).setup);
    extractor = createExtractor({ ocr: setup, optional: new Map([['image', 20]]), processes: 1 });
  });
  after(async () => {
    await extractor.close();
    await rm(folder, { recursive: true });
  });

  async function extract(name: string, content: Uint8Array): Promise<Extracted> {
    const path = join(folder, name);
    await writeFile(path, content);
    const inode = inodeOf(await lstat(path, { bigint: true }));
    return extractor.extract({ path, name, size: content.length, inode }, signal);
  }
  async function textOf(name: string, content: Uint8Array) {
    const extracted = await extract(name, content);
    assert.equal(extracted.kind, 'text', JSON.stringify(extracted));
    return extracted as Extracted & { kind: 'text' };
  }

  const LINES = ['The heron waits at the weir.', '# The invoice of March has the number 4711.'];

  it('is read, and is not taken for Markdown', async () => {
    const { text, version } = await textOf('note.png', pngFile(await drawn(LINES)));
    assert.deepEqual([text, version], [`${LINES[0]}\n\\${LINES[1]}`, 'image-2']);
  });

  it('of every page of a TIFF is read, with the offset of each page', async () => {
    const pages = [await drawn(['The first page of a fax']), await drawn(['The second page'])];
    const { text, pages: offsets } = await textOf('fax.tif', tiffFile(pages));
    assert.equal(text, 'The first page of a fax\n\nThe second page');
    assert.deepEqual(offsets, [0, 25]);
  });

  it('is read inside of an archive, and in a picture that is packed', async () => {
    const picture = pngFile(await drawn(LINES));
    const { inner = [] } = await textOf('a.zip', zipFile([{ name: 'a.png', content: picture }]));
    assert.match(JSON.stringify(inner), /heron waits/);
    assert.match((await textOf('a.png.gz', gzipSync(picture))).text, /heron waits/);
  });

  it('is empty when nothing in the picture is text, so that the record tells that it was read', async () => {
    assert.equal((await textOf('blank.png', pngFile(blank(400, 300)))).text, '');
  });

  it('is not guessed when the page is upside down', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `The heron of day ${i} waits at the weir`);
    assert.equal((await textOf('turned.png', pngFile(turned(await drawn(lines))))).text, '');
  });

  it('of a scanned PDF is read on each page, between pages that are not scanned', async () => {
    const first = await drawn(['The first page of a contract']);
    const third = await drawn(['The third page is signed']);
    const { text, pages, version } = await textOf('scan.pdf', scanFile([first, null, third]));
    assert.equal(text, 'The first page of a contract\n\n\n\nThe third page is signed');
    assert.deepEqual([pages, version], [[0, 30, 32], extractVersion(['pdf'])]);
  });

  it('of a PDF with more scanned pages than the limit says which pages are left out', async () => {
    const page = await drawn(['A page of a long book']);
    const extracted = await textOf('book.pdf', scanFile([page, page, page, page, page]));
    assert.equal(
      extracted.text,
      Array(3).fill('A page of a long book').concat(['', '']).join('\n\n'),
    );
    assert.deepEqual(
      extracted.inner?.map(({ path, outcome }) => [path, outcome]),
      [
        [
          'pages 4-5',
          {
            is: 'skip',
            omission: {
              reason: 'without text that can be read',
              detail: 'of one file, the text of 3 pictures or scanned pages is recognized',
              hint: 'Split the file, or raise QUARRY_OCR_PAGES.',
            },
          },
        ],
      ],
    );
    // A copy of the file would not show what is missing, so it must be read itself.
    assert.equal(extracted.contentHash, undefined);
  });

  it('of a PDF that cannot be recognized leaves a record without text, and says so', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `The heron of day ${i} waits at the weir`);
    const extracted = await textOf('turned.pdf', scanFile([turned(await drawn(lines))]));
    assert.equal(extracted.text, '');
    const [left] = extracted.inner ?? [];
    assert.equal(left?.path, 'page 1');
    assert.ok(
      left?.outcome.is === 'skip' &&
        /cannot be recognized/.test(left.outcome.omission.detail ?? ''),
    );
  });

  it('is not looked for in icons', async () =>
    assert.deepEqual(await extract('icon.png', pngFile(blank(32, 32))), {
      kind: 'skip',
      reason: 'of a kind without text',
      detail: 'a picture of 32 × 32 pixels',
    }));

  it('is not looked for in a picture that would unpack to too many pixels', async () =>
    assert.deepEqual(await extract('bomb.png', pngOf(60_000, 60_000, Buffer.alloc(100))), {
      kind: 'skip',
      reason: 'too large',
      detail: '60000 × 60000 pixels, more than 32 million',
      hint: 'Save a smaller copy: 200 dots per inch are enough.',
    }));

  it('is not looked for in a file that is larger than the limit of the installation', async () => {
    const skipped = await extract('large.png', Buffer.alloc(20 * MB + 1));
    assert.equal(skipped.kind === 'skip' && skipped.detail, '20.0 MB, more than 20 MB');
  });

  it('of a broken picture is refused, and the next picture is read', async () => {
    const whole = pngFile(await drawn(LINES));
    const cycle = tiffFile([blank(100, 100)]);
    cycle.writeUInt32LE(cycle.readUInt32LE(4), cycle.length - 4);
    for (const [name, content] of Object.entries({
      'cut.png': whole.subarray(0, 2000),
      'random.png': Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 2654435761) >>> 24)),
      'random.jpg': Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(500, 7)]),
      'empty.gif': Buffer.alloc(0),
      'short.tif': Buffer.from('II*\0\xff\xff\xff\xff', 'latin1'),
    }))
      await assert.rejects(
        extract(name, content),
        { kind: 'skip', message: 'the picture is broken or in a form that cannot be read' },
        name,
      );
    assert.equal((await textOf('cycle.tif', cycle)).text, '');
    assert.match((await textOf('again.png', whole)).text, /heron/);
  });

  it('is not read without the packages, and the reason says what to install', async () => {
    await using plain = { ...createExtractor(), [Symbol.asyncDispose]: () => plain.close() };
    const path = join(folder, 'off.png');
    await writeFile(path, pngFile(blank(400, 300)));
    const inode = inodeOf(await lstat(path, { bigint: true }));
    assert.deepEqual(await plain.extract({ path, name: 'off.png', size: 1, inode }, signal), {
      kind: 'skip',
      reason: 'of a kind without text',
      hint: 'To read the text in pictures, install text recognition (docs/documents.md).',
    });
  });

  it('is not blamed on the picture when the packages are damaged', async () => {
    const data = join(folder, 'damaged', 'node_modules', '@tesseract.js-data');
    await mkdir(join(data, 'eng', '4.0.0_best_int'), { recursive: true });
    const [core, eng] = ['tesseract.js-core', '@tesseract.js-data/eng/4.0.0_best_int'].map((name) =>
      join(ROOT, 'node_modules', name),
    );
    await symlink(must(core), join(data, '..', 'tesseract.js-core'));
    const language = join(data, 'eng', '4.0.0_best_int', 'eng.traineddata.gz');
    const whole = await readFile(join(must(eng), 'eng.traineddata.gz'));
    await writeFile(language, gzipSync(gunzipSync(whole).subarray(0, 1000)));
    const found = must((await findOcr({ ...settings, folder: join(folder, 'damaged') })).setup);
    const optional = new Map([['image', 20]] as const);
    await using own = {
      ...createExtractor({ ocr: found, optional, processes: 1 }),
      [Symbol.asyncDispose]: () => own.close(),
    };
    const picture = pngFile(await drawn(LINES));
    const path = join(folder, 'mail.eml');
    await writeFile(
      path,
      mailOf(multipart('mixed', [filePart('a.png', picture.toString('latin1'))])),
    );
    const inode = inodeOf(await lstat(path, { bigint: true }));
    const mail = () => own.extract({ path, name: 'mail.eml', size: 1, inode }, signal);
    await assert.rejects(mail(), {
      kind: 'config',
      message: 'text recognition cannot be loaded: Error: the data of a language is damaged',
      hint: 'Install its packages again, or remove them (docs/documents.md).',
    });
    await writeFile(language, whole);
    const read = await mail();
    assert.ok(read.kind === 'text');
    assert.match(JSON.stringify(read.inner), /heron waits/);
  });

  it('is read only in languages whose data is installed', async () => {
    const { setup, missing } = await findOcr({ ...settings, languages: ['eng', 'xyz'] });
    assert.equal(setup, null);
    assert.equal(missing, `npm install --prefix ${ROOT} @tesseract.js-data/xyz`);
    assert.deepEqual(await findOcr({ ...settings, folder }), { setup: null, missing: null });
  });

  it('is read from a folder that is linked', async () => {
    const linked = join(folder, 'linked');
    await mkdir(linked);
    await symlink(join(ROOT, 'node_modules'), join(linked, 'node_modules'));
    assert.deepEqual((await findOcr({ ...settings, folder: linked })).setup, setup);
  });
});

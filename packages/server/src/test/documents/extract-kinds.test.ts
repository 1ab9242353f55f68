/** Extracts files of the kinds with converters of our own in the limited process, as a sync does. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createExtractor, type ExtractedText, type Extractor } from '../../documents/extract.ts';
import { inodeOf } from '../../documents/inode.ts';
import { extractVersion } from '../../documents/kinds.ts';
import { zipFile } from './archive-file.ts';
import { sentencesOf } from './sentences.ts';

const run = promisify(execFile);
const LONG = `${'a very long name of a folder/'.repeat(5)}ü.md`;

describe('the kinds of files that are read in the limited process', () => {
  let folder: string;
  let extractor: Extractor;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-kinds-'));
    extractor = createExtractor();
    for (const [path, text] of Object.entries({
      'b.txt': 'Boat',
      '.env': 'KEY=1',
      [LONG]: '# Long',
    })) {
      await mkdir(dirname(join(folder, 'files', path)), { recursive: true });
      await writeFile(join(folder, 'files', path), text);
    }
    await symlink('/etc/passwd', join(folder, 'files', 'link'));
  });
  after(async () => {
    await extractor.close();
    await rm(folder, { recursive: true });
  });

  async function extract(name: string, content: string | Uint8Array): Promise<ExtractedText> {
    const path = join(folder, name);
    await writeFile(path, content);
    const inode = inodeOf(await lstat(path, { bigint: true }));
    const extracted = await extractor.extract(
      { path, name, size: content.length, inode },
      new AbortController().signal,
    );
    assert.ok(extracted.kind === 'text', JSON.stringify(extracted));
    return extracted;
  }

  it('a file that changes while it is read has no hash, by which others would get its text', async () => {
    const path = join(folder, 'page.html');
    const hashOf = async (meanwhile: () => Promise<void>) => {
      await writeFile(path, '<p>before');
      const inode = inodeOf(await lstat(path, { bigint: true }));
      const extracted = await extractor.extract(
        { path, name: 'page.html', size: 9, inode },
        new AbortController().signal,
        // The content has been hashed here, and not parsed yet.
        async () => {
          await meanwhile();
          return null;
        },
      );
      assert.ok(extracted.kind === 'text');
      return extracted.contentHash;
    };
    assert.match(String(await hashOf(async () => {})), /^[0-9a-f]{64}$/);
    const change = async () => {
      await writeFile(path, '<p>behind');
      // Two writes may have the same time.
      await utimes(path, 1, 1);
    };
    assert.equal(await hashOf(change), undefined);
  });

  it('a file whose copy is cut off while both are read', async () => {
    const [cut, whole] = [join(folder, 'cut.html'), join(folder, 'whole.html')];
    const { signal } = new AbortController();
    const extract = async (path: string, meanwhile: () => Promise<void>) => {
      await writeFile(path, '<p>Both');
      const inode = inodeOf(await lstat(path, { bigint: true }));
      const file = { path, name: 'page.html', size: 7, inode };
      return () =>
        extractor.extract(file, signal, async () => {
          await meanwhile();
          return null;
        });
    };
    const wholeIsRead = Promise.withResolvers<void>();
    const cutIsCut = Promise.withResolvers<void>();
    const readCut = await extract(cut, async () => {
      await wholeIsRead.promise;
      await truncate(cut, 2);
      // A write and a cut may have the same time.
      await utimes(cut, 1, 1);
      cutIsCut.resolve();
    });
    const readWhole = await extract(whole, async () => {
      wholeIsRead.resolve();
      await cutIsCut.promise;
      // The parsing of the other one begins first.
      await setImmediate();
    });
    const [first, second] = await Promise.allSettled([readCut(), readWhole()]);
    assert.equal(
      first.status === 'rejected' && first.reason.message,
      'the file became shorter while it was read',
    );
    assert.equal(second.status === 'fulfilled' && second.value.kind, 'text');
  });

  for (const format of ['ustar', 'pax', 'gnu'])
    for (const extension of ['tar', 'tar.gz'])
      it(`a .${extension} that tar has made in the format ${format}`, async () => {
        const file = join(folder, `made-${format}.${extension}`);
        const flags = extension === 'tar' ? '-cf' : '-czf';
        await run('tar', [`--format=${format}`, flags, file, '-C', join(folder, 'files'), '.']);
        const { inner = [], version } = await extract(`a.${extension}`, await readFile(file));
        assert.deepEqual(
          inner
            .map(({ path, outcome }) => [
              path,
              outcome.is === 'text'
                ? outcome.text
                : outcome.is === 'skip' && outcome.omission.reason,
            ])
            .toSorted(),
          [
            ['.env', 'left out as secrets'],
            [LONG, '# Long'],
            ['b.txt', 'Boat'],
          ],
        );
        assert.equal(version, extractVersion([extension === 'tar' ? 'tar' : 'gzip']));
      });

  it('a zip archive, with the version of each converter', async () => {
    const name = Buffer.from('cec4b5b52e68746d6c', 'hex');
    const { inner = [], version } = await extract('a.zip', zipFile([{ name, content: '<p>a' }]));
    assert.deepEqual(inner, [
      { path: '文档.html', kind: 'html', outcome: { is: 'text', text: 'a' } },
    ]);
    assert.equal(version, extractVersion(['html', 'zip']));
  });

  it('a packed page, with the version of both converters', async () => {
    const { text, version } = await extract('a.html.gz', gzipSync('<h1>T</h1>'));
    assert.deepEqual([text, version], ['# T', extractVersion(['gzip', 'html'])]);
  });

  it('a notebook, subtitles, a drawing and a feed', async () => {
    const cells = [{ cell_type: 'markdown', source: '# T' }];
    assert.equal((await extract('a.ipynb', JSON.stringify({ cells }))).text, '# T');
    const { text, places } = await extract('a.vtt', 'WEBVTT\n\n00:07.000 --> 00:08.000\nHi');
    assert.deepEqual([text, places], ['Hi', ['time 00:00:07']]);
    assert.equal((await extract('a.svg', '<svg><text>Hi</text></svg>')).text, 'Hi');
    assert.equal(
      (await extract('a.rss', '<rss><channel><title>Hi</title></channel></rss>')).text,
      '# Hi',
    );
  });

  it('a page whose language is recognized', async () => {
    const { about } = await extract('a.html', `<p>${sentencesOf('da').join(' ')}</p>`);
    assert.deepEqual(about, { language: 'da' });
  });
});

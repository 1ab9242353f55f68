import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  collect,
  configError,
  filesFolder,
  leftOut,
  stubsOf,
} from '../../test/documents/files-folder.ts';
import { must } from '../../util.ts';
import { files } from '../catalog/files.ts';
import type { SourceItem } from '../items.ts';
import { createRules } from './rules.ts';
import { walk } from './walk.ts';

const MB = 1024 * 1024;
describe('listing files', () => {
  const folder = filesFolder();
  const { context, hydrate, ids, pull, write } = folder;

  it('[ENT-23] yields every file with its relative path, folder by folder, in order', async () => {
    for (const path of ['b.md', 'a.md', 'sub/z.md', 'sub/deep/x.md', 'a-folder/y.md', 'é.md'])
      await write(path);
    await mkdir(join(folder.root, 'empty'));
    const seen = (await pull()).map((item) =>
      item.kind === 'stub' ? [item.id, item.type, item.partition] : item,
    );
    const listed = (partition: string) => ({ kind: 'listed', partition });
    assert.deepEqual(seen, [
      ['a.md', 'File', ''],
      ['b.md', 'File', ''],
      ['é.md', 'File', ''],
      listed(''),
      ['a-folder/y.md', 'File', 'a-folder'],
      listed('a-folder'),
      listed('empty'),
      ['sub/z.md', 'File', 'sub'],
      listed('sub'),
      ['sub/deep/x.md', 'File', 'sub/deep'],
      listed('sub/deep'),
    ]);
  });

  it('[SRC-14] does not report files that include, exclude and .gitignore files leave out', async () => {
    for (const path of [
      'a.md',
      'b.txt',
      'out/c.md',
      'drafts/d.md',
      '.git/HEAD.md',
      'pkg/e.md',
      'pkg/gen/f.md',
      'pkg/keep.log.md',
    ])
      await write(path);
    await write('.gitignore', 'out/\n*.log.md\n');
    await write('pkg/.gitignore', '/gen\n!keep.log.md\n');
    await symlink('nowhere', join(folder.root, 'drafts-link'));
    const items = await pull({ config: { include: ['*.md'], exclude: ['drafts*'] } });
    assert.deepEqual(
      stubsOf(items).map(({ id }) => id),
      ['a.md', 'pkg/e.md', 'pkg/keep.log.md'],
    );
    const repository = ['left out as version control', 'the history of a repository'];
    assert.deepEqual(leftOut(items), [['skip', '.git', ...repository]]);
    const partitions = items.flatMap((item) => (item.kind === 'listed' ? item.partition : []));
    assert.deepEqual(partitions, ['', 'pkg']);
  });

  it('reads a .gitignore only if it is a regular file of at most 1 MB', async () => {
    await write('sub/.gitignore/a.md');
    await write('link/b.md');
    await write('patterns', '*.md');
    await symlink('../patterns', join(folder.root, 'link/.gitignore'));
    await write('huge/c.md');
    await write('huge/.gitignore', Buffer.alloc(MB + 1, '\n'));
    await write('large/d.md');
    await write('large/.gitignore', Buffer.alloc(MB, '\n'));
    const items = await pull({ config: { include: ['*.md'] } });
    const found = stubsOf(items).map(({ id }) => id);
    assert.deepEqual(found, ['large/d.md', 'link/b.md', 'sub/.gitignore/a.md']);
    const lost = items.filter((item) => item.kind === 'lost');
    assert.deepEqual(
      lost.map(({ partition, error }) => [partition, error.message]),
      [['huge', 'the folder cannot be read: its .gitignore is too large']],
    );
  });

  it('does not wait for a .gitignore that is a pipe or a socket', async () => {
    await write('pipe/a.md');
    await promisify(execFile)('mkfifo', [join(folder.root, 'pipe/.gitignore')]);
    await write('socket/b.md');
    const server = createServer().listen(join(folder.root, 'socket/.gitignore'));
    try {
      assert.deepEqual(await ids({ config: { include: ['*.md'] } }), ['pipe/a.md', 'socket/b.md']);
    } finally {
      server.close();
    }
  });

  it('skips files without text, files that are too large, and special files', async () => {
    await write('a.png');
    await write('b.NUMBERS');
    await write('c.pdf', '');
    await truncate(join(folder.root, 'c.pdf'), 100 * MB + 1);
    await promisify(execFile)('mkfifo', [join(folder.root, 'pipe')]);
    const server = createServer().listen(join(folder.root, 'socket'));
    try {
      assert.deepEqual(leftOut(await pull()), [
        ['skip', 'a.png', 'of a kind without text'],
        ['skip', 'b.NUMBERS', 'of a kind that is not read yet', 'a spreadsheet (.numbers)'],
        ['skip', 'c.pdf', 'too large', '100.0 MB, more than 100 MB'],
        ['skip', 'pipe', 'not a regular file'],
        ['skip', 'socket', 'not a regular file'],
      ]);
    } finally {
      server.close();
    }
    assert.deepEqual(leftOut(await pull({ config: { include: ['*.md'] } })), []);
  });

  it('follows links to files within the folder, and reports why it does not follow others', async () => {
    await write('docs/guide.md');
    await write('secret/key.md');
    await write('sub/.gitignore', 'left.md');
    await write('sub/left.md');
    await write('sub/closed/.gitignore', 'gen/');
    await write('sub/closed/gen/.gitignore', '!x.md');
    await write('sub/closed/gen/x.md');
    await write('.git/config');
    await writeFile(join(folder.root, '../outside.md'), 'text');
    await mkdir(join(folder.root, '../root-beside'));
    const links = {
      'beside.md': '../root-beside',
      'broken.md': 'nowhere',
      'circle.md': 'circle.md',
      'docs/loop': '..',
      'docs/self': '.',
      'folder.md': 'docs',
      'git.md': '.git/config',
      'good.md': 'docs/guide.md',
      'key.md': 'secret/key.md',
      'gen-link.md': 'sub/closed/gen/x.md',
      'left-link.md': 'sub/left.md',
      'out.md': '../outside.md',
      'picture.md': 'a.png',
      'second.md': 'good.md',
    };
    await write('a.png');
    for (const [path, target] of Object.entries(links))
      await symlink(target, join(folder.root, path));
    const items = await pull({ config: { exclude: ['secret/'] } });
    assert.deepEqual(
      stubsOf(items).map(({ id }) => id),
      ['good.md', 'second.md', 'docs/guide.md', 'sub/.gitignore', 'sub/closed/.gitignore'],
    );
    const leftOutFile = 'a link to a file that is left out';
    assert.deepEqual(leftOut(items), [
      ['skip', 'a.png', 'of a kind without text'],
      ['skip', 'beside.md', 'a link that leads out of the folder'],
      ['fail', 'broken.md', 'the link is broken: its target does not exist'],
      ['skip', 'circle.md', 'a link that leads back to itself'],
      ['skip', 'folder.md', 'a link to a folder, which is not followed'],
      ['skip', 'gen-link.md', leftOutFile],
      ['skip', 'git.md', leftOutFile, 'the history of a repository'],
      ['skip', 'key.md', leftOutFile],
      ['skip', 'left-link.md', leftOutFile],
      ['skip', 'out.md', 'a link that leads out of the folder'],
      ['skip', 'picture.md', 'of a kind without text'],
      ['skip', '.git', 'left out as version control', 'the history of a repository'],
      ['skip', 'docs/loop', 'a link to a folder that it is in'],
      ['skip', 'docs/self', 'a link to a folder that it is in'],
    ]);
  });

  it('[SRC-14] accepts a link that include names, whatever the name of its target is', async () => {
    await write('docs/guide.txt');
    await symlink('docs/guide.txt', join(folder.root, 'guide.md'));
    assert.deepEqual(await ids({ config: { include: ['*.md'] } }), ['guide.md']);
  });

  it('does not report links that include or exclude leave out', async () => {
    await write('docs/a.md');
    await symlink('docs', join(folder.root, 'folder'));
    await symlink('../..', join(folder.root, 'out'));
    await symlink('nowhere', join(folder.root, 'broken'));
    assert.deepEqual(leftOut(await pull({ config: { include: ['*.md'] } })), []);
    assert.deepEqual(
      leftOut(await pull({ config: { exclude: ['folder/', 'out', 'broken'] } })),
      [],
    );
  });

  it('[JOB-21] fails only a link for whose target the rules cannot be read', async () => {
    await write('far/a.md');
    await write('far/.gitignore', `${'#'.repeat(MB)}\n*.log`);
    await write('z.md');
    await symlink('far/a.md', join(folder.root, 'link.md'));
    const items = await pull();
    assert.deepEqual(
      stubsOf(items).map(({ id }) => id),
      ['z.md'],
    );
    const reason = 'the folder cannot be read: its .gitignore is too large';
    assert.deepEqual(leftOut(items), [['fail', 'link.md', reason]]);
    assert.ok(items.some((item) => item.kind === 'lost' && item.partition === 'far'));
  });

  it('reports an unreadable folder as lost, and continues', async () => {
    await write('a/x.md');
    await write('b/deep/y.md');
    await write('c/z.md');
    const items: SourceItem[] = [];
    for await (const item of must(files.pull)(context())) {
      items.push(item);
      // The root has been read, and now a link replaces one folder, and another folder is removed.
      if (item.kind === 'listed' && item.partition === '') {
        await rename(join(folder.root, 'a'), join(folder.root, '../moved'));
        await symlink('../moved', join(folder.root, 'a'));
        await rm(join(folder.root, 'b'), { recursive: true });
      }
    }
    assert.deepEqual(
      items.map((item) =>
        item.kind === 'lost' ? [item.partition, item.error.kind, item.error.message] : item.kind,
      ),
      [
        'listed',
        ['a', 'skip', 'the folder cannot be read: it has become a link'],
        ['b', 'skip', 'the folder cannot be read: it no longer exists'],
        'stub',
        'listed',
      ],
    );
  });

  it('fails when the folder of the source does not exist, so that nothing is deleted', async () => {
    await rm(folder.root, { recursive: true });
    await assert.rejects(pull(), configError(`${folder.root} does not exist`));
  });

  it('reports the root as lost when it disappears during the pull', async () => {
    const gone = join(folder.root, 'gone');
    const [only, ...rest] = await collect(
      walk({ root: gone, rules: createRules({}), isOwn: () => false }, context().signal),
    );
    assert.ok(only?.kind === 'lost');
    assert.deepEqual(
      [only.partition, only.error.message, rest],
      ['', 'the folder cannot be read: it no longer exists', []],
    );
  });

  it('handles every possible name of a file', async () => {
    const names = [
      '..a',
      '...',
      ' ',
      ' lead',
      'trail ',
      'new\nline',
      'a\\b',
      '-rf',
      '#x',
      '!y',
      'a*[b]?',
      `${'x'.repeat(252)}.md`,
      '日本.md',
      '~',
      '%2e',
    ];
    for (const name of names) await write(name);
    const found = await pull();
    assert.deepEqual(
      stubsOf(found)
        .map(({ id }) => id)
        .sort(),
      [...names].sort(),
    );
    const read = await hydrate(stubsOf(found));
    assert.deepEqual(
      read.map((item) => item.kind === 'upsert' && item.entity.name).sort(),
      [...names].sort(),
    );
  });

  it('fails only a file whose name is not UTF-8', async () => {
    const raw = (name: string) =>
      Buffer.concat([Buffer.from(`${folder.root}/sub/`), Buffer.from(name, 'latin1')]);
    await mkdir(join(folder.root, 'sub'));
    await writeFile(raw('caf\xe9.md'), 'text');
    await mkdir(raw('d\xff'));
    await writeFile(raw('d\xff/inner.md'), 'text');
    const items = await pull();
    assert.deepEqual(leftOut(items), [
      ['fail', 'sub/caf\\xe9.md', 'its name is not UTF-8'],
      ['fail', 'sub/d\\xff', 'its name is not UTF-8'],
    ]);
    assert.deepEqual(stubsOf(items), []);
    assert.ok(items.every(({ kind }) => kind !== 'lost'));
    assert.deepEqual(leftOut(await pull({ config: { exclude: ['sub'] } })), []);
    assert.deepEqual(leftOut(await pull({ config: { include: ['*.txt'] } })), [
      ['fail', 'sub/d\\xff', 'its name is not UTF-8'],
    ]);
  });

  it('gives a file a new version exactly when it may have changed', async () => {
    const version = async () => stubsOf(await pull())[0]?.version;
    await write('a.md', 'one');
    const first = await version();
    assert.equal(await version(), first);
    const time = new Date('2026-01-01T00:00:00Z');
    await utimes(join(folder.root, 'a.md'), time, time);
    const touched = await version();
    assert.notEqual(touched, first);
    // The file gets another content of the same size, and its time is set back.
    await write('a.md', 'two');
    await utimes(join(folder.root, 'a.md'), time, time);
    const written = await version();
    assert.notEqual(written, touched);
    // Another file of the same size and time takes its place.
    await writeFile(join(folder.root, '../other'), 'two');
    await utimes(join(folder.root, '../other'), time, time);
    await rename(join(folder.root, '../other'), join(folder.root, 'a.md'));
    assert.notEqual(await version(), written);
  });

  it('lists many files of one folder', async () => {
    const names = Array.from({ length: 150 }, (_, i) => `${String(i).padStart(3, '0')}.md`);
    await Promise.all(names.map((name) => write(name)));
    assert.deepEqual(await ids(), names);
  });

  it('[CON-40] lists folders with changes next, and the files of those that were listed before again', async () => {
    for (const path of ['a/1.md', 'b/2.md', 'b/deep/3.md', 'c/4.md', 'c/5.png', 'd/6.md'])
      await write(path);
    const { signal } = new AbortController();
    const { root } = folder;
    const seen: string[] = [];
    let changed: string[] = ['b/deep'];
    const takeChanged = () => changed.splice(0);
    const sourceRoot = { root, rules: createRules({}), isOwn: () => false };
    for await (const item of walk(sourceRoot, signal, takeChanged)) {
      if (item.kind === 'stub' || item.kind === 'skip') seen.push(item.id);
      if (item.kind === 'listed') seen.push(`${item.partition}/`);
      if (item.kind !== 'listed') continue;
      if (item.partition === 'b/deep') changed = ['c', 'unknown'];
      if (item.partition === 'a') {
        await write('c/new/7.md');
        changed = ['c', 'c/new'];
      }
    }
    assert.deepEqual(seen, [
      ...['/', 'b/2.md', 'b/', 'b/deep/3.md', 'b/deep/'],
      ...['c/4.md', 'c/5.png', 'c/', 'a/1.md', 'a/'],
      ...['c/4.md', 'c/new/7.md', 'c/new/', 'd/6.md', 'd/'],
    ]);
  });

  it('[CON-40] ends also while folders change all the time', async () => {
    for (const path of ['hot/1.md', 'warm/2.md', 'z/3.md']) await write(path);
    const { signal } = new AbortController();
    const sourceRoot = { root: folder.root, rules: createRules({}), isOwn: () => false };
    const listed = new Map<string, number>();
    const takeChanged = () => ['hot', 'hot', 'warm'];
    for await (const item of walk(sourceRoot, signal, takeChanged)) {
      if (item.kind !== 'stub') continue;
      listed.set(item.id, (listed.get(item.id) ?? 0) + 1);
      assert.ok((listed.get(item.id) ?? 0) < 10, 'it lists the folder for ever');
    }
    assert.equal(listed.get('z/3.md'), 1);
    assert.ok((listed.get('hot/1.md') ?? 0) > 1, 'a change is listed at once');
  });

  it('stops when its signal aborts', async () => {
    await write('a.md');
    const signal = AbortSignal.abort(new Error('cancelled'));
    await assert.rejects(pull({ signal }), { message: 'cancelled' });
  });
});

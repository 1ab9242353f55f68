import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import pino from 'pino';
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { must } from '../../util.ts';
import {
  type Item,
  type LeftOut,
  openContext,
  type PullContext,
  type Stub,
  type Upsert,
} from '../define.ts';
import { createRules } from '../files/rules.ts';
import { walk } from '../files/walk.ts';
import { files } from './files.ts';

const MB = 1024 * 1024;
let top: string;
let root: string;
let made = 0;
before(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'quarry-files-')));
});
beforeEach(async () => {
  root = join(top, `case-${made++}`, 'root');
  await mkdir(root, { recursive: true });
});
after(() => rm(top, { recursive: true, force: true }));

const write = async (path: string, content: string | Buffer = 'text') => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
};

interface Options {
  readonly config?: object;
  readonly signal?: AbortSignal;
  readonly allowPath?: (path: string) => Promise<string>;
}
const context = ({ config = {}, ...rest }: Options = {}): PullContext<unknown, unknown, unknown> =>
  openContext(files, {
    config: { path: root, ...config },
    credentials: null,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    meter: { requests: 0, bytes: 0 },
    allowPath: async (path) => path,
    allowHost: async (host) => host,
    cursor: null,
    cursorField: null,
    ...rest,
  });
const pull = async (options?: Options): Promise<Item[]> =>
  collect(must(files.pull)(context(options)));
const hydrate = async (stubs: readonly Stub[], ctx = context()): Promise<(Upsert | LeftOut)[]> =>
  collect(must(files.hydrate)(ctx, stubs));
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const stubsOf = (items: readonly Item[]) => items.filter((item) => item.kind === 'stub');
const ids = async (options?: Options) => stubsOf(await pull(options)).map(({ id }) => id);
const leftOut = (items: readonly Item[]) =>
  items.flatMap((item) =>
    item.kind === 'skip' || item.kind === 'fail' ? [[item.kind, item.id, item.reason]] : [],
  );
const configError = (message: string) => ({ name: 'SourceError', kind: 'config', message });

describe('the files source', () => {
  it('[SRC-13] takes no credentials', () => {
    assert.deepEqual(files.auth, { methods: ['direct'] });
    assert.equal(files.rateLimitLevel, null);
  });

  describe('its configuration', () => {
    const parse = (config: unknown) => files.config.safeParse(config);

    it('[SRC-14] is a path, and patterns', () => {
      const config = { path: '/a', include: ['*.md'], exclude: ['x/'] };
      assert.deepEqual(parse(config).data, config);
      assert.deepEqual(parse({ path: '/a' }).data, { path: '/a' });
    });

    for (const [what, config] of Object.entries({
      'no path': {},
      'an empty path': { path: '' },
      'a relative path': { path: 'docs' },
      'a path with a NUL': { path: '/a\0b' },
      'a path that is too long': { path: `/${'x'.repeat(4096)}` },
      'an unknown key': { path: '/a', recursive: true },
      'a pattern alone': { path: '/a', include: '*.md' },
      'an empty pattern': { path: '/a', exclude: [''] },
      'a very long pattern': { path: '/a', exclude: ['x'.repeat(1001)] },
      'very many patterns': { path: '/a', exclude: Array.from({ length: 1001 }, () => 'x') },
    }))
      it(`[SRC-14] is not ${what}`, () => assert.equal(parse(config).success, false));

    it('[SRC-14] may be as long as said', () =>
      assert.ok(
        parse({
          path: `/${'x'.repeat(4095)}`,
          exclude: Array.from({ length: 1000 }, () => 'x'.repeat(1000)),
        }).success,
      ));

    it('has a title and a description for every field', () => {
      const { properties = {} } = z.toJSONSchema(files.config);
      assert.deepEqual(Object.keys(properties), ['path', 'include', 'exclude']);
      for (const field of Object.values(properties)) {
        assert.ok(typeof field === 'object' && field.title && field.description);
      }
    });
  });

  describe('its check', () => {
    const check = async (options: Options) => files.check?.(context(options));

    it('passes for a folder', () => assert.doesNotReject(check({})));
    it('says that there is nothing', () =>
      assert.rejects(
        check({ config: { path: join(root, 'no') } }),
        configError(`${root}/no does not exist`),
      ));
    it('says that it is a file', async () => {
      await write('a.md');
      await assert.rejects(
        check({ config: { path: join(root, 'a.md') } }),
        configError(`${root}/a.md is a file: path names a folder`),
      );
      await assert.rejects(
        check({ config: { path: join(root, 'a.md/b') } }),
        configError(`${root}/a.md/b does not exist: a part of it is a file`),
      );
    });
    it('says that it cannot be read', async () => {
      await symlink('circle', join(root, 'circle'));
      await assert.rejects(
        check({ config: { path: join(root, 'circle') } }),
        configError(`${root}/circle cannot be read: ELOOP`),
      );
    });
    it('asks first whether the path is allowed, and goes by the answer', async () => {
      const refusal = new SourceError('config', 'not below QUARRY_FILES_ROOTS');
      await assert.rejects(check({ allowPath: () => Promise.reject(refusal) }), refusal);
      const asked: string[] = [];
      const allowPath = async (path: string) => {
        asked.push(path);
        return root;
      };
      await write('a.md');
      assert.deepEqual(await ids({ config: { path: '/elsewhere' }, allowPath }), ['a.md']);
      assert.deepEqual(asked, ['/elsewhere']);
    });
  });

  describe('listing', () => {
    it('[ENT-23] gives every file under its relative path, folder by folder, in order', async () => {
      for (const path of ['b.md', 'a.md', 'sub/z.md', 'sub/deep/x.md', 'a-folder/y.md', 'é.md'])
        await write(path);
      await mkdir(join(root, 'empty'));
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

    it('[SRC-14] leaves out without a word what include, exclude and .gitignore files leave out', async () => {
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
      await symlink('nowhere', join(root, 'drafts-link'));
      const items = await pull({ config: { include: ['*.md'], exclude: ['drafts*'] } });
      assert.deepEqual(
        stubsOf(items).map(({ id }) => id),
        ['a.md', 'pkg/e.md', 'pkg/keep.log.md'],
      );
      assert.deepEqual(leftOut(items), []);
      const partitions = items.flatMap((item) => (item.kind === 'listed' ? item.partition : []));
      assert.deepEqual(partitions, ['', 'pkg']);
    });

    it('takes a .gitignore only where it is a file, and of a sane size', async () => {
      await write('sub/.gitignore/a.md');
      await write('link/b.md');
      await write('patterns', '*.md');
      await symlink('../patterns', join(root, 'link/.gitignore'));
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

    it('skips by name and size what has no text or too much, and what is no file', async () => {
      await write('a.png');
      await write('b.XLSX');
      await write('c.pdf', '');
      await truncate(join(root, 'c.pdf'), 100 * MB + 1);
      await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
      const server = createServer().listen(join(root, 'socket'));
      try {
        assert.deepEqual(leftOut(await pull()), [
          ['skip', 'a.png', 'of a kind without text'],
          ['skip', 'b.XLSX', 'of a kind that cannot be read: .xlsx'],
          ['skip', 'c.pdf', 'too large: 100.0 MB, more than 100 MB'],
          ['skip', 'pipe', 'no regular file'],
          ['skip', 'socket', 'no regular file'],
        ]);
      } finally {
        server.close();
      }
      assert.deepEqual(leftOut(await pull({ config: { include: ['*.md'] } })), []);
    });

    it('follows links to files of the folder, and says why it follows no other', async () => {
      await write('docs/guide.md');
      await write('secret/key.md');
      await write('sub/.gitignore', 'left.md');
      await write('sub/left.md');
      await write('sub/closed/.gitignore', 'gen/');
      await write('sub/closed/gen/.gitignore', '!x.md');
      await write('sub/closed/gen/x.md');
      await write('.git/config');
      await writeFile(join(root, '../outside.md'), 'text');
      await mkdir(join(root, '../root-beside'));
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
      for (const [path, target] of Object.entries(links)) await symlink(target, join(root, path));
      const items = await pull({ config: { exclude: ['secret/'] } });
      assert.deepEqual(
        stubsOf(items).map(({ id }) => id),
        ['good.md', 'second.md', 'docs/guide.md', 'sub/.gitignore', 'sub/closed/.gitignore'],
      );
      const leftOutFile = 'a link to a file that is left out';
      assert.deepEqual(leftOut(items), [
        ['skip', 'a.png', 'of a kind without text'],
        ['skip', 'beside.md', 'a link that leads out of the folder'],
        ['fail', 'broken.md', 'the link is broken: what it leads to does not exist'],
        ['skip', 'circle.md', 'a link that leads back to itself'],
        ['skip', 'folder.md', 'a link to a folder that is read under its own path'],
        ['skip', 'gen-link.md', leftOutFile],
        ['skip', 'git.md', leftOutFile],
        ['skip', 'key.md', leftOutFile],
        ['skip', 'left-link.md', leftOutFile],
        ['skip', 'out.md', 'a link that leads out of the folder'],
        ['skip', 'picture.md', 'of a kind without text'],
        ['skip', 'docs/loop', 'a link to a folder that it is in'],
        ['skip', 'docs/self', 'a link to a folder that it is in'],
      ]);
    });

    it('leaves out links as it leaves out files and folders', async () => {
      await write('docs/a.md');
      await symlink('docs', join(root, 'folder'));
      await symlink('../..', join(root, 'out'));
      await symlink('nowhere', join(root, 'broken'));
      assert.deepEqual(leftOut(await pull({ config: { include: ['*.md'] } })), []);
      assert.deepEqual(
        leftOut(await pull({ config: { exclude: ['folder/', 'out', 'broken'] } })),
        [],
      );
    });

    it('loses a folder that cannot be read, and goes on', async () => {
      await write('a/x.md');
      await write('b/deep/y.md');
      await write('c/z.md');
      const items: Item[] = [];
      for await (const item of must(files.pull)(context())) {
        items.push(item);
        // The root has been read: one folder is replaced by a link, one is removed.
        if (item.kind === 'listed' && item.partition === '') {
          await rename(join(root, 'a'), join(root, '../moved'));
          await symlink('../moved', join(root, 'a'));
          await rm(join(root, 'b'), { recursive: true });
        }
      }
      assert.deepEqual(
        items.map((item) =>
          item.kind === 'lost' ? [item.partition, item.error.kind, item.error.message] : item.kind,
        ),
        [
          'listed',
          ['a', 'skip', 'the folder cannot be read: it has become a link'],
          ['b', 'skip', 'the folder cannot be read: it is gone'],
          'stub',
          'listed',
        ],
      );
    });

    it('refuses a root that is gone, so that nothing is taken for deleted', async () => {
      await rm(root, { recursive: true });
      await assert.rejects(pull(), configError(`${root} does not exist`));
    });

    it('loses a root that goes while it is read', async () => {
      const gone = join(root, 'gone');
      const [only, ...rest] = await collect(walk(gone, createRules({}), context().signal));
      assert.ok(only?.kind === 'lost');
      assert.deepEqual(
        [only.partition, only.error.message, rest],
        ['', 'the folder cannot be read: it is gone', []],
      );
    });

    it('copes with any name that a file can have', async () => {
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

    it('fails a name that is not UTF-8', async () => {
      const raw = (name: string) =>
        Buffer.concat([Buffer.from(`${root}/sub/`), Buffer.from(name, 'latin1')]);
      await mkdir(join(root, 'sub'));
      await writeFile(raw('caf\xe9.md'), 'text');
      await mkdir(raw('d\xff'));
      await writeFile(raw('d\xff/inner.md'), 'text');
      const items = await pull();
      assert.deepEqual(leftOut(items), [
        ['fail', 'sub/caf\\xe9.md', 'its name is not UTF-8'],
        ['fail', 'sub/d\\xff', 'its name is not UTF-8'],
      ]);
      assert.deepEqual(stubsOf(items), []);
      assert.deepEqual(leftOut(await pull({ config: { exclude: ['sub'] } })), []);
      assert.deepEqual(leftOut(await pull({ config: { include: ['*.txt'] } })), [
        ['fail', 'sub/d\\xff', 'its name is not UTF-8'],
      ]);
    });

    it('gives a file another version whenever it may have changed, and only then', async () => {
      const version = async () => stubsOf(await pull())[0]?.version;
      await write('a.md', 'one');
      const first = await version();
      assert.equal(await version(), first);
      const time = new Date('2026-01-01T00:00:00Z');
      await utimes(join(root, 'a.md'), time, time);
      const touched = await version();
      assert.notEqual(touched, first);
      // Another file of the same size and time in its place.
      await writeFile(join(root, '../other'), 'two');
      await utimes(join(root, '../other'), time, time);
      await rename(join(root, '../other'), join(root, 'a.md'));
      assert.notEqual(await version(), touched);
    });

    it('reads many files of one folder', async () => {
      const names = Array.from({ length: 150 }, (_, i) => `${String(i).padStart(3, '0')}.md`);
      await Promise.all(names.map((name) => write(name)));
      assert.deepEqual(await ids(), names);
    });

    it('stops with its sync', async () => {
      await write('a.md');
      const signal = AbortSignal.abort(new Error('cancelled'));
      await assert.rejects(pull({ signal }), { message: 'cancelled' });
    });
  });

  describe('reading', () => {
    it('[ENT-23] gives the record, whose text is in the file', async () => {
      await write('docs/Big Guide/Intro.MD', 'hello');
      const modified = new Date('2026-03-04T05:06:07.500Z');
      const path = join(root, 'docs/Big Guide/Intro.MD');
      await utimes(path, modified, modified);
      const [stub] = stubsOf(await pull());
      assert.ok(stub);
      const ctx = context();
      const [item] = await hydrate([stub], ctx);
      assert.ok(item?.kind === 'upsert');
      const { createdAt, ...entity } = item.entity;
      assert.ok(createdAt instanceof Date && Math.abs(Date.now() - createdAt.getTime()) < 60_000);
      assert.deepEqual(entity, {
        id: 'docs/Big Guide/Intro.MD',
        type: 'File',
        name: 'Intro.MD',
        text: '',
        breadcrumbs: [
          { id: 'docs', name: 'docs', type: 'folder' },
          { id: 'docs/Big Guide', name: 'Big Guide', type: 'folder' },
        ],
        updatedAt: modified,
        fields: { path: 'docs/Big Guide/Intro.MD', extension: 'md', size: 5 },
        file: { path, name: 'Intro.MD', size: 5 },
      });
      assert.deepEqual([item.partition, item.version], [stub.partition, stub.version]);
      assert.ok(files.entities.File?.safeParse(entity.fields).success);
      assert.equal(ctx.meter.bytes, 5);
    });

    it('goes by what the file is now', async () => {
      await write('a.md', 'one');
      const [stub] = stubsOf(await pull());
      assert.ok(stub);
      await write('a.md', 'longer');
      const [item] = await hydrate([stub]);
      assert.ok(item?.kind === 'upsert');
      assert.equal(item.entity.fields.size, 6);
      assert.notEqual(item.version, stub.version);
      assert.equal(item.version, stubsOf(await pull())[0]?.version);
    });

    it('reads behind a link, under the name of the link', async () => {
      await write('docs/guide.pdf');
      await symlink('docs/guide.pdf', join(root, 'latest'));
      const [item] = await hydrate(stubsOf(await pull()).filter(({ id }) => id === 'latest'));
      assert.ok(item?.kind === 'upsert');
      assert.deepEqual(
        [item.entity.name, item.entity.fields.extension, item.entity.file],
        ['latest', '', { path: join(root, 'docs/guide.pdf'), name: 'guide.pdf', size: 4 }],
      );
    });

    it('answers for each file: gone, replaced by something else, or led away', async () => {
      for (const name of ['a.md', 'b.md', 'c.md', 'd.md', 'e.md']) await write(name);
      await writeFile(join(root, '../outside.md'), 'text');
      const stubs = stubsOf(await pull());
      for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) await rm(join(root, name));
      await mkdir(join(root, 'b.md'));
      await symlink('../outside.md', join(root, 'c.md'));
      await write('d.md', Buffer.alloc(0));
      await truncate(join(root, 'd.md'), 20 * MB + 1);
      const items = await hydrate(stubs);
      assert.deepEqual(
        items.map((item) =>
          item.kind === 'upsert' ? item.entity.id : [item.kind, item.id, item.reason],
        ),
        [
          ['fail', 'a.md', 'the file is gone: it was there when its folder was listed'],
          ['skip', 'b.md', 'no regular file'],
          ['skip', 'c.md', 'a link that leads out of the folder'],
          ['skip', 'd.md', 'too large: 20.0 MB, more than 20 MB'],
          'e.md',
        ],
      );
    });

    it('stops with its sync', async () => {
      await write('a.md');
      const stubs = stubsOf(await pull());
      const ctx = context({ signal: AbortSignal.abort(new Error('cancelled')) });
      await assert.rejects(hydrate(stubs, ctx), { message: 'cancelled' });
    });
  });

  it('says what the user it runs as may not read', async () => {
    await write('a.md');
    await write('locked.md');
    await write('closed/b.md');
    await chmod(join(root, 'locked.md'), 0);
    await chmod(join(root, 'closed'), 0);
    for (const folder of [top, dirname(root), root]) await chmod(folder, 0o755);
    const script = `
      import { files } from ${JSON.stringify(new URL('./files.ts', import.meta.url).href)};
      const path = process.argv[1];
      const meter = { requests: 0, bytes: 0 };
      const signal = new AbortController().signal;
      const context = (path) => ({ config: { path }, meter, signal, allowPath: async (p) => p });
      const items = [];
      for await (const item of files.pull(context(path))) items.push(item);
      const stubs = items.filter((item) => item.kind === 'stub');
      for await (const item of files.hydrate(context(path), stubs)) items.push(item);
      await files.check(context(path + '/closed')).catch((error) => items.push(error.message));
      console.log(JSON.stringify(items.map((item) => [
        item.kind ?? item, item.id ?? item.partition, item.reason ?? item.error?.kind, item.hint
      ])));`;
    // Root may read everything, so that the test is another user's.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script, root],
      { env: {}, cwd: '/', ...nobody },
    );
    await chmod(join(root, 'closed'), 0o755);
    const denied = 'permission denied';
    assert.deepEqual(
      JSON.parse(stdout).map((row: unknown[]) => row.filter((value) => (value ?? '') !== '')),
      [
        ['stub', 'a.md'],
        ['stub', 'locked.md'],
        ['listed'],
        ['lost', 'closed', 'skip'],
        ['upsert'],
        [
          'fail',
          'locked.md',
          `the file cannot be read: ${denied}`,
          'Let the user that Quarry runs as read it.',
        ],
        [`${root}/closed cannot be read by the user that Quarry runs as`],
      ],
    );
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { configError, filesFolder, type Options } from '../../test/documents/files-folder.ts';
import { methodsOf } from '../define.ts';
import { files } from './files.ts';

describe('the files source', () => {
  const folder = filesFolder();
  const { context, ids, write } = folder;

  it('[SRC-13] takes no credentials', () => {
    assert.deepEqual(files.auth, {});
    assert.deepEqual(methodsOf(files), ['direct']);
    assert.equal(files.rateLimitLevel, null);
  });

  describe('its configuration', () => {
    const parse = (config: unknown) => files.config.safeParse(config);

    it('[SRC-14] is a path and patterns', () => {
      const config = { path: '/a', include: ['*.md'], exclude: ['x/'], watch: false };
      assert.deepEqual(parse(config).data, config);
      assert.deepEqual(parse({ path: '/a' }).data, { path: '/a', watch: true });
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
      it(`[SRC-14] is refused with ${what}`, () => assert.equal(parse(config).success, false));

    it('[SRC-14] may have the documented maximum lengths', () =>
      assert.ok(
        parse({
          path: `/${'x'.repeat(4095)}`,
          exclude: Array.from({ length: 1000 }, () => 'x'.repeat(1000)),
        }).success,
      ));

    it('has a title and a description for every field', () => {
      const { properties = {} } = z.toJSONSchema(files.config);
      assert.deepEqual(Object.keys(properties), ['path', 'include', 'exclude', 'watch']);
      for (const field of Object.values(properties)) {
        assert.ok(typeof field === 'object' && field.title && field.description);
      }
    });
  });

  describe('its check', () => {
    const check = async (options: Options) => files.check?.(context(options));

    it('passes for a folder', () => assert.doesNotReject(check({})));
    it('refuses a path that does not exist', () =>
      assert.rejects(
        check({ config: { path: join(folder.root, 'no') } }),
        configError(`${folder.root}/no does not exist`),
      ));
    it('refuses a path that is a file', async () => {
      await write('a.md');
      await assert.rejects(
        check({ config: { path: join(folder.root, 'a.md') } }),
        configError(`${folder.root}/a.md is a file: path names a folder`),
      );
      await assert.rejects(
        check({ config: { path: join(folder.root, 'a.md/b') } }),
        configError(`${folder.root}/a.md/b does not exist: a part of it is a file`),
      );
    });
    it('refuses a path that cannot be read', async () => {
      await symlink('circle', join(folder.root, 'circle'));
      await assert.rejects(
        check({ config: { path: join(folder.root, 'circle') } }),
        configError(`${folder.root}/circle cannot be read: ELOOP`),
      );
    });
    it('asks first whether the path is allowed, and uses the returned path', async () => {
      const refusal = new SourceError('config', 'not below QUARRY_FILES_ROOTS');
      await assert.rejects(check({ allowPath: () => Promise.reject(refusal) }), refusal);
      const asked: string[] = [];
      const allowPath = async (path: string) => {
        asked.push(path);
        return folder.root;
      };
      await write('a.md');
      assert.deepEqual(await ids({ config: { path: '/elsewhere' }, allowPath }), ['a.md']);
      assert.deepEqual(asked, ['/elsewhere']);
    });
  });

  it('fails for files and folders that the user of the process may not read', async () => {
    await write('a.md');
    await write('locked.md');
    await write('closed/b.md');
    await chmod(join(folder.root, 'locked.md'), 0);
    await chmod(join(folder.root, 'closed'), 0);
    for (const path of [dirname(dirname(folder.root)), dirname(folder.root), folder.root])
      await chmod(path, 0o755);
    const script = `
      import { files } from ${JSON.stringify(new URL('./files.ts', import.meta.url).href)};
      const path = process.argv[1];
      const meter = { requests: 0, bytes: 0 };
      const signal = new AbortController().signal;
      const [allowPath, ownFiles] = [async (path) => path, async () => () => false];
      const context = (path) => ({ config: { path }, meter, signal, allowPath, ownFiles });
      const items = [];
      for await (const item of files.pull(context(path))) items.push(item);
      const stubs = items.filter((item) => item.kind === 'stub');
      for await (const item of files.hydrate(context(path), stubs)) items.push(item);
      await files.check(context(path + '/closed')).catch((error) => items.push(error.message));
      console.log(JSON.stringify(items.map((item) => [
        item.kind ?? item, item.id ?? item.partition, item.reason ?? item.error?.kind, item.hint
      ])));`;
    // Root may read everything, so the test runs as another user.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script, folder.root],
      { env: {}, cwd: '/', ...nobody },
    );
    await chmod(join(folder.root, 'closed'), 0o755);
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
          'Allow the user that Quarry runs as to read it.',
        ],
        [`${folder.root}/closed cannot be read by the user that Quarry runs as`],
      ],
    );
  });
});

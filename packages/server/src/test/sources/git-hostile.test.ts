/** Tests repositories that no honest program makes. They must cost nothing but their own sync. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { git } from '../../sources/catalog/git.ts';
import { failureOf, ObjectGone } from '../../sources/git/failure.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import {
  type GitServer,
  openGitServer,
  PASSWORD,
  skipWithoutGit,
  type TestRepository,
  USER,
} from './git-server.ts';
import { contextOf, entitiesOf, itemsOf, lastCursor, pullAll } from './harness.ts';

describe('a hostile repository', { skip: skipWithoutGit }, () => {
  let server: GitServer;
  before(async () => {
    server = await openGitServer();
  });
  after(() => server.close());

  const settingsOf = (name: string) => ({
    credentials: { username: USER, password: PASSWORD },
    config: { url: server.http(name) },
  });

  /** Makes a tree of raw entries, whatever their names are. */
  function tree(repository: TestRepository, entries: readonly [string, Buffer, string][]): string {
    const input = Buffer.concat(
      entries.flatMap(([mode, name, oid]) => [
        Buffer.from(`${mode} `),
        name,
        Buffer.from([0]),
        Buffer.from(oid, 'hex'),
      ]),
    );
    return execFileSync('git', ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], {
      cwd: repository.path,
      input,
    })
      .toString()
      .trim();
  }
  async function publish(repository: TestRepository, root: string) {
    const commit = await repository.git('-C', repository.path, 'commit-tree', root, '-m', 'made');
    await repository.git('-C', repository.path, 'update-ref', 'refs/heads/main', commit);
  }
  const hydrate = async (name: string, items: readonly SourceItem[]) => {
    const read: SourceItem[] = [];
    const stubs = itemsOf(items, 'stub');
    for await (const item of must(git.hydrate)(contextOf(git, settingsOf(name)), stubs))
      read.push(item);
    return read;
  };

  it('names that are paths, not UTF-8 or very long are left out, and the rest is read', async () => {
    const repository = await server.repository('names');
    await repository.commit({ 'a.md': 'heron' });
    const blob = await repository.git('rev-parse', 'HEAD:a.md');
    const inner = tree(repository, [['100644', Buffer.from('passwd'), blob]]);
    const name = (text: string): Buffer => Buffer.from(text);
    await publish(
      repository,
      tree(repository, [
        ['40000', name('..'), inner],
        ['40000', name('.'), inner],
        ['100644', name('../../etc/cron.d/x'), blob],
        ['100644', name('a.md'), blob],
        ['100644', name('line\nbreak.md'), blob],
        ['100644', Buffer.from([0x62, 0xff, 0x2e, 0x6d, 0x64]), blob],
        ['100644', name(`${'n'.repeat(5000)}.md`), blob],
        ['100644', name('日本語 \u202e.md'), blob],
      ]),
    );
    const items = await pullAll(git, settingsOf('names'));
    assert.deepEqual(
      itemsOf(items, 'stub').map(({ id }) => id),
      ['a.md', 'line\nbreak.md', '日本語 \u202e.md'],
    );
    assert.deepEqual(
      itemsOf(items, 'skip').map(({ id, reason }) => [id.slice(0, 20), reason]),
      [
        ['..', 'whose names are paths'],
        ['.', 'whose names are paths'],
        ['../../etc/cron.d/x', 'whose names are paths'],
        ['b\\xff.md', 'whose names are not UTF-8'],
        ['n'.repeat(20), 'whose paths are too long'],
      ],
    );
    assert.equal(entitiesOf(await hydrate('names', items)).length, 3);
  });

  it('folders that contain one folder many times are counted, and refused before anything is read', async () => {
    const repository = await server.repository('bomb');
    await repository.commit({ 'a.md': 'heron' });
    const blob = await repository.git('rev-parse', 'HEAD:a.md');
    const ten = (mode: string, oid: string) =>
      tree(
        repository,
        Array.from({ length: 10 }, (_, i) => [mode, Buffer.from(`d${i}`), oid]),
      );
    let root = ten('100644', blob);
    for (let depth = 0; depth < 9; depth++) root = ten('40000', root);
    await publish(repository, root);
    await assert.rejects(pullAll(git, settingsOf('bomb')), {
      kind: 'config',
      message: 'the branch has more than 500000 files',
    });
    for (let depth = 0; depth < 300; depth++)
      root = tree(repository, [['40000', Buffer.from('d'), root]]);
    await publish(repository, root);
    await assert.rejects(pullAll(git, settingsOf('bomb')), {
      kind: 'config',
      message: 'the repository has more than 200 folders in each other',
    });
  });

  it('a file that is too large is left out, and its content is not unpacked', async () => {
    const repository = await server.repository('large');
    await repository.commit({
      'zeros.txt': Buffer.alloc(21 * 2 ** 20),
      'empty.md': '',
      'a.md': 'a',
    });
    const items = await pullAll(git, settingsOf('large'));
    const read = await hydrate('large', items);
    assert.deepEqual(
      itemsOf(read, 'skip').map(({ id, reason, removes }) => [id, reason, removes]),
      [['zeros.txt', 'too large', 'record']],
    );
    assert.deepEqual(
      entitiesOf(read).map(({ id, file }) => [id, file?.size]),
      [
        ['a.md', 1],
        ['empty.md', 0],
      ],
    );
  });

  it('hooks and settings in the repository start no program', async () => {
    const repository = await server.repository('hooks');
    const first = await repository.commit({ 'a.md': 'a', '.gitattributes': '* filter=evil\n' });
    const trap = join(server.folder, 'trap');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-merge', 'pre-auto-gc']) {
      const path = join(repository.path, 'hooks', hook);
      writeFileSync(path, `#!/bin/sh\ntouch ${trap}\n`);
      chmodSync(path, 0o755);
    }
    for (const key of [
      'core.fsmonitor',
      'core.sshCommand',
      'filter.evil.smudge',
      'uploadpack.packObjectsHook',
    ])
      await repository.git('-C', repository.path, 'config', key, `touch ${trap}`);
    const settings = { credentials: {}, config: { url: server.file('hooks') } };
    const items = await pullAll(git, settings);
    assert.deepEqual(lastCursor(items), { commit: first });
    assert.equal(existsSync(trap), false);
  });

  it('an answer that is not of Git, breaks off or has no end fails the sync, and lists nothing', async () => {
    const repository = await server.repository('broken');
    await repository.commit({ 'a.md': 'a' });
    const answers: Record<string, string> = {
      html: '<html>Welcome</html>',
      empty: '',
      cut: '001e# service=git-upload-pack\n0000000eversion 2\n00',
    };
    for (const [name, body] of Object.entries(answers)) {
      server.intercept.by = (_, response) => {
        response
          .writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
          .end(body);
        return true;
      };
      await assert.rejects(pullAll(git, settingsOf('broken')), { name: 'SourceError' }, name);
    }
    server.intercept.by = null;
  });

  it('each refusal of a server has its kind', () => {
    const failure = { timeoutMs: 1000, folder: '/data/x', hidden: ['s3cret-token'] };
    for (const [said, kind, message] of [
      ['fatal: Authentication failed for x', 'auth', /refuses the credentials/],
      ['fatal: unable to access x: The requested URL returned error: 403', 'auth', /may not read/],
      ['fatal: unable to access x: The requested URL returned error: 429', 'rate_limited', /wait/],
      ['fatal: unable to access x: The requested URL returned error: 503', 'transient', /503/],
      ['remote: Repository not found.\nfatal: repository x not found', 'config', /no repository/],
      ['fatal: unable to access x: SSL certificate problem: expired', 'config', /certificate/],
      ['error: s3cret-token in /data/x', 'transient', /: \[hidden\] in \[hidden\]$/],
    ] as const) {
      const error = failureOf(said, failure);
      assert.equal(error.kind, kind, said);
      assert.match(error.message, message);
    }
    assert.ok(
      failureOf('fatal: remote error: upload-pack: not our ref 12', failure) instanceof ObjectGone,
    );
    assert.match(failureOf('', { ...failure, isLate: true }).message, /within 1 s$/);
    assert.match(failureOf('', { ...failure, signal: 'SIGXFSZ' }).message, /too large/);
  });
});

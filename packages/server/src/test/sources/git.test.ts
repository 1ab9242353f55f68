/** Tests what is special about the git source: which files are read, what a change costs, and hostile repositories. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { git } from '../../sources/catalog/git.ts';
import { checkSettings } from '../../sources/define.ts';
import { openDownloads } from '../../sources/downloads.ts';
import type { SourceItem } from '../../sources/items.ts';
import { createSourceEnvironment } from '../../sources/source-environment.ts';
import { must } from '../../util.ts';
import { NO_DATA_DIR } from '../environment.ts';
import { type GitServer, openGitServer, PASSWORD, skipWithoutGit, USER } from './git-server.ts';
import { contextOf, entitiesOf, itemsOf, lastCursor, pullAll } from './harness.ts';

const credentials = { username: USER, password: PASSWORD };

const idsOf = (items: readonly SourceItem[]) => ({
  taken: itemsOf(items, 'stub').map(({ id }) => id),
  gone: itemsOf(items, 'remove').map(({ id }) => id),
  left: Object.fromEntries(itemsOf(items, 'skip').map(({ id, reason }) => [id, reason])),
});

describe('the git source', { skip: skipWithoutGit }, () => {
  let server: GitServer;
  before(async () => {
    server = await openGitServer();
  });
  after(() => server.close());

  const hydrate = async (settings: object, items: readonly SourceItem[]) => {
    const read: SourceItem[] = [];
    const stubs = itemsOf(items, 'stub');
    for await (const item of must(git.hydrate)(contextOf(git, settings), stubs)) read.push(item);
    return read;
  };
  const textOf = (items: readonly SourceItem[], id: string) =>
    readFileSync(must(entitiesOf(items).find((one) => one.id === id)?.file).path, 'utf8');

  it('a file becomes a record with its path, language, folders and the address of its page', async () => {
    const repository = await server.repository('team/paths');
    await repository.commit({ 'docs/deep/ü b.md': '# Heron\n', Makefile: 'all:\n' });
    const settings = {
      credentials,
      config: {
        url: server.http('team/paths'),
        file_url: 'https://git.example.org/paths/blob/{branch}/{path}',
      },
    };
    const items = await pullAll(git, settings);
    const read = await hydrate(settings, items);
    const [entity] = entitiesOf(read).filter(({ id }) => id === 'docs/deep/ü b.md');
    assert.deepEqual(
      { ...entity, file: null, fields: { ...entity?.fields, sha: null } },
      {
        id: 'docs/deep/ü b.md',
        type: 'GitFile',
        name: 'ü b.md',
        text: '',
        file: null,
        context: 'docs/deep/ü b.md',
        url: 'https://git.example.org/paths/blob/main/docs/deep/%C3%BC%20b.md',
        breadcrumbs: [
          { id: 'team/paths', name: 'team/paths', type: 'repository' },
          { id: 'docs', name: 'docs', type: 'folder' },
          { id: 'docs/deep', name: 'deep', type: 'folder' },
        ],
        fields: {
          repository: 'team/paths',
          branch: 'main',
          path: 'docs/deep/ü b.md',
          language: 'Markdown',
          sha: null,
        },
      },
    );
    assert.equal(textOf(read, 'docs/deep/ü b.md'), '# Heron\n');
    assert.deepEqual(itemsOf(items, 'listed'), [{ kind: 'listed', partition: '' }]);
  });

  it('secrets, dependencies, build output, binaries, links, submodules and LFS pointers are left out with a reason', async () => {
    const repository = await server.repository('left-out');
    await repository.git('config', 'protocol.file.allow', 'always');
    const inner = await server.repository('inner');
    await inner.commit({ 'a.md': 'inner' });
    execFileSync('ln', ['-s', '/etc/passwd', join(repository.work, 'users')]);
    await repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      'add',
      '-q',
      inner.path,
      'sub',
    );
    await repository.commit({
      'notes.md': 'kept',
      'build/readme.md': 'kept, since nothing builds here',
      'app/package.json': '{}',
      'app/build/out.txt': 'made',
      'app/node_modules/x/index.js': 'x',
      '.env': 'A=b',
      'keys/id_rsa': 'key',
      'logo.png': 'png',
      'kept-although-ignored.txt': 'kept',
      '.gitignore': 'kept-although-ignored.txt\n',
      'model.txt': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`,
    });
    const settings = { credentials, config: { url: server.http('left-out') } };
    const items = await pullAll(git, settings);
    const { taken, left } = idsOf(items);
    assert.deepEqual(taken.toSorted(), [
      '.gitignore',
      '.gitmodules',
      'app/package.json',
      'build/readme.md',
      'kept-although-ignored.txt',
      'model.txt',
      'notes.md',
    ]);
    assert.deepEqual(left, {
      '.env': 'left out as secrets',
      users: 'of links to other files',
      sub: 'of submodules',
      'logo.png': 'of a kind without text',
      'app/build': 'left out as build output',
      'app/node_modules': 'left out as dependencies',
      'keys/id_rsa': 'left out as secrets',
    });
    assert.deepEqual(idsOf(await hydrate(settings, items)).left, {
      'model.txt': 'whose contents are in Git LFS',
    });
    const named = { ...settings.config, include: ['*', '.env'], exclude: ['app/'] };
    const other = idsOf(await pullAll(git, { credentials, config: named }));
    assert.ok(other.taken.includes('.env') && !other.taken.some((id) => id.startsWith('app/')));
  });

  it('an unchanged branch costs one request, and a change costs only what has changed', async () => {
    const repository = await server.repository('changes');
    await repository.commit({
      ...Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [`d${i % 10}/${i}.md`, `text ${i}`]),
      ),
      'old-name.md': 'moved',
      'd1/gone.md': 'gone',
      'was-file': 'file',
    });
    const settings = { credentials, config: { url: server.http('changes') } };
    const first = await pullAll(git, settings);
    const cursor = lastCursor(first);
    server.requests.length = 0;
    assert.deepEqual(await pullAll(git, settings, { cursor }), []);
    assert.deepEqual(
      server.requests.filter((one) => one.startsWith('POST')),
      ['POST /changes.git/git-upload-pack'],
    );
    const commit = await repository.commit({
      'd2/2.md': 'changed',
      'old-name.md': null,
      'new-name.md': 'moved',
      'd1/gone.md': null,
      'd3/new.md': 'new',
      'was-file': null,
    });
    await repository.commit({ 'was-file/now-folder.md': 'inside' });
    const next = await pullAll(git, settings, { cursor });
    assert.deepEqual(idsOf(next), {
      taken: ['new-name.md', 'd2/2.md', 'd3/new.md', 'was-file/now-folder.md'],
      gone: ['old-name.md', 'was-file', 'd1/gone.md'],
      left: {},
    });
    assert.notEqual(commit, (lastCursor(next) as { commit: string }).commit);
    assert.equal(textOf(await hydrate(settings, next), 'd2/2.md'), 'changed');
    assert.deepEqual(itemsOf(next, 'listed'), []);
    // A cursor before the changes would lose those that an interrupted sync has not read.
    assert.deepEqual([itemsOf(next, 'checkpoint').length, next.at(-1)?.kind], [1, 'checkpoint']);
  });

  it('a file that shows that a folder is made by a program takes the folder out, and its removal takes it in again', async () => {
    const repository = await server.repository('evidence');
    await repository.commit({ 'build/a.md': 'a', 'build/deep/b.md': 'b', 'c.md': 'c' });
    const settings = { credentials, config: { url: server.http('evidence') } };
    const cursor = lastCursor(await pullAll(git, settings));
    await repository.commit({ 'package.json': '{}' });
    const out = await pullAll(git, settings, { cursor });
    assert.deepEqual(idsOf(out), {
      taken: ['package.json'],
      gone: ['build/a.md', 'build/deep/b.md'],
      left: { build: 'left out as build output' },
    });
    await repository.commit({ 'package.json': null });
    const back = await pullAll(git, settings, { cursor: lastCursor(out) });
    assert.deepEqual(idsOf(back).taken, ['build/a.md', 'build/deep/b.md']);
    assert.deepEqual(idsOf(back).gone, ['package.json']);
  });

  it('after a force-push the difference is exact, and a commit that the server has dropped makes the cursor outdated', async () => {
    const repository = await server.repository('forced');
    const base = await repository.commit({ 'a.md': 'a', 'b.md': 'b' });
    await repository.commit({ 'b.md': null, 'c.md': 'c' });
    const settings = { credentials, config: { url: server.http('forced') } };
    const cursor = lastCursor(await pullAll(git, settings));
    await repository.git('reset', '-q', '--hard', base);
    await repository.commit({ 'd.md': 'd' });
    const next = await pullAll(git, settings, { cursor });
    assert.deepEqual(idsOf(next), { taken: ['b.md', 'd.md'], gone: ['c.md'], left: {} });
    await assert.rejects(pullAll(git, settings, { cursor: { commit: '1'.repeat(40) } }), {
      kind: 'outdated',
    });
  });

  it('a server that can neither leave contents out nor find old commits is read as well', async () => {
    const repository = await server.repository('plain', { 'uploadpack.allowFilter': 'false' });
    await repository.commit({ 'a.md': 'heron', 'sub/b.md': 'weir' });
    const settings = { credentials, config: { url: server.http('plain') } };
    const items = await pullAll(git, settings);
    assert.equal(textOf(await hydrate(settings, items), 'sub/b.md'), 'weir');
    await repository.commit({ 'a.md': 'swan' });
    const next = await pullAll(git, settings, { cursor: lastCursor(items) });
    assert.equal(textOf(await hydrate(settings, next), 'a.md'), 'swan');
    assert.deepEqual(idsOf(next).taken, ['a.md']);
  });

  it('the chosen branch is read, its choices are offered, and an empty repository has no files', async () => {
    const repository = await server.repository('branches');
    const settings = { credentials, config: { url: server.http('branches') } };
    assert.deepEqual(await pullAll(git, settings), [{ kind: 'listed', partition: '' }]);
    await assert.rejects(pullAll(git, settings, { cursor: { commit: '1'.repeat(40) } }), {
      kind: 'outdated',
    });
    await repository.commit({ 'a.md': 'a' });
    await repository.commit({ 'b.md': 'b' }, 'feature/zwei');
    const request = { field: 'branch', query: '', limit: 10 };
    const offered = await must(git.options)(contextOf(git, settings), request);
    assert.deepEqual(
      offered.map(({ value }) => value),
      ['feature/zwei', 'main'],
    );
    const searched = { field: 'branch', query: 'main', limit: 1 };
    const found = await must(git.options)(contextOf(git, settings), searched);
    assert.ok(found.some(({ value }) => value === 'main'));
    const config = { ...settings.config, branch: 'feature/zwei' };
    assert.deepEqual(idsOf(await pullAll(git, { credentials, config })).taken, ['a.md', 'b.md']);
    assert.deepEqual(idsOf(await pullAll(git, settings)).taken, ['a.md']);
    await repository.git('push', '-q', 'origin', ':feature/zwei');
    await assert.rejects(pullAll(git, { credentials, config }), { kind: 'config' });
  });

  it('an address with a password, options of ssh, another protocol or a name that is no branch is refused', () => {
    for (const url of [
      'https://ann:secret@example.org/notes.git',
      'http://example.org/notes.git',
      'git://example.org/notes.git',
      'ext::sh -c whoami',
      'ssh://-oProxyCommand=whoami/notes.git',
      '-oProxyCommand=whoami:notes.git',
      'git@example.org:-oProxyCommand=whoami',
      'git@-oProxyCommand=whoami:notes.git',
      'https://example.org/notes.git\n[core]',
      'ftp://example.org/notes.git',
      'file://server/notes.git',
      '/etc',
    ])
      assert.equal(git.config.safeParse({ url }).success, false, url);
    const url = 'https://example.org/notes.git';
    for (const branch of [
      '--upload-pack=x',
      'a..b',
      'a b',
      '.x',
      'x.lock',
      'a/',
      'x@{1}',
      'a\nb',
      '',
    ])
      assert.equal(git.config.safeParse({ url, branch }).success, false, branch);
    for (const branch of ['main', 'feature/zwei', 'größe', 'a.b'])
      assert.equal(git.config.safeParse({ url, branch }).success, true, branch);
  });

  it('only hosts and folders that the operator allows are reached', async () => {
    const repository = await server.repository('guarded');
    await repository.commit({ 'a.md': 'a' });
    const ssh = await server.ssh();
    const environment = createSourceEnvironment(
      {
        singleUser: false,
        QUARRY_DATA_DIR: NO_DATA_DIR,
        QUARRY_SOURCE_NETWORKS: [],
        QUARRY_FILES_ROOTS: [],
        QUARRY_ALLOW_LOOPBACK: true,
      },
      async () => ['127.0.0.1'],
    );
    const port = new URL(server.http('x')).port;
    server.requests.length = 0;
    for (const [url, says] of [
      [server.http('guarded'), /not at a public address/],
      [`https://rebinding.example.org:${port}/guarded.git`, /not at a public address/],
      [ssh.url('guarded'), /not at a public address/],
      [server.file('guarded'), /QUARRY_FILES_ROOTS/],
    ] as const) {
      const settings = {
        credentials: { ...credentials, private_key: ssh.clientKey },
        config: { url, accept_any_host_key: true },
      };
      await assert.rejects(
        checkSettings(git, contextOf(git, settings, { environment })),
        (error: SourceError) => error.kind === 'config' && says.test(error.message),
        url,
      );
    }
    assert.deepEqual(server.requests, []);
  });

  it('the connection goes to the address that was checked, and a redirect is not followed', async () => {
    const repository = await server.repository('pinned');
    await repository.commit({ 'a.md': 'a' });
    const resolvedTo = (address: string) =>
      createSourceEnvironment(
        {
          singleUser: false,
          QUARRY_DATA_DIR: NO_DATA_DIR,
          QUARRY_SOURCE_NETWORKS: ['127.0.0.0/8'],
          QUARRY_FILES_ROOTS: [],
          QUARRY_ALLOW_LOOPBACK: true,
        },
        async () => [address],
      );
    const environment = resolvedTo('127.0.0.1');
    const url = server.http('pinned').replace('127.0.0.1', 'localhost');
    const localhost = { credentials, config: { url } };
    await checkSettings(git, contextOf(git, localhost, { environment }));
    // Nothing listens at the address that was checked here, although something does at the address of the name.
    await assert.rejects(
      checkSettings(git, contextOf(git, localhost, { environment: resolvedTo('127.0.0.2') })),
      { kind: 'transient' },
    );
    const ssh = await server.ssh();
    await checkSettings(
      git,
      contextOf(
        git,
        {
          credentials: { private_key: ssh.clientKey },
          config: {
            url: ssh.url('pinned').replace('127.0.0.1', 'nowhere.invalid'),
            host_keys: [`example.org ${ssh.hostKey}`],
          },
        },
        { environment },
      ),
    );
    const settings = { credentials, config: { url: server.http('pinned') } };
    server.intercept.by = (request, response) => {
      response.writeHead(302, { location: `${server.http('other')}${request.url}` }).end();
      return true;
    };
    try {
      await assert.rejects(checkSettings(git, contextOf(git, settings)), {
        kind: 'config',
        message: /^the server redirects to another address, which is not followed/,
      });
    } finally {
      server.intercept.by = null;
    }
  });
});

describe('secrets of the git source', { skip: skipWithoutGit }, () => {
  it('neither the password nor the key is in a list of processes, an environment, an error or a file that stays', async () => {
    const server = await openGitServer();
    // Another test may have a key in the folder that tests share.
    const folder = mkdtempSync(join(tmpdir(), 'quarry-git-secrets-'));
    const options = { downloads: openDownloads(folder) };
    try {
      const repository = await server.repository('secret');
      await repository.commit({ 'a.md': 'a' });
      const seen: string[] = [];
      server.intercept.by = () => {
        for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
          for (const what of ['cmdline', 'environ'])
            try {
              const text = readFileSync(`/proc/${pid}/${what}`, 'utf8');
              if (Number(pid) !== process.pid) seen.push(text);
            } catch {
              // The process has ended.
            }
        return false;
      };
      const settings = { credentials, config: { url: server.http('secret') } };
      await pullAll(git, settings, options);
      assert.ok(seen.some((text) => text.includes('git-remote-http')));
      assert.ok(!seen.some((text) => text.includes(PASSWORD)));
      server.intercept.by = (_, response) => {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(`no ${PASSWORD}`);
        return true;
      };
      await assert.rejects(
        pullAll(git, settings, options),
        (error) =>
          error instanceof SourceError && !`${error.message} ${error.hint}`.includes(PASSWORD),
      );
      const ssh = await server.ssh();
      const bySsh = {
        credentials: { private_key: ssh.clientKey },
        config: { url: ssh.url('secret'), host_keys: [ssh.hostKey] },
      };
      await pullAll(git, bySsh, options);
      const found = execFileSync('sh', [
        '-c',
        `grep -rlE '${PASSWORD}|PRIVATE KEY' "$0" || true`,
        folder,
      ]);
      assert.equal(found.toString(), '');
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

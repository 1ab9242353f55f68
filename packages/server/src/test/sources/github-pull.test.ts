/** Tests which requests a pull of GitHub makes, and what it yields when the service is not as one expects. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { github } from '../../sources/catalog/github.ts';
import { timeOf } from '../../sources/github/lists.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import { type GitHubCompany, openGitHubCompany, TOKEN } from './github-company.ts';
import { message } from './github-refusal.ts';
import type { FakeRepository } from './github-world.ts';
import {
  contextOf,
  entitiesOf,
  itemsOf,
  lastCursor,
  type PullOptions,
  pullAll,
  pullOf,
} from './harness.ts';

const secondsAgo = (seconds: number) => timeOf(Date.now() - seconds * 1000);

describe('a pull of github', () => {
  let company: GitHubCompany;
  let config: Record<string, unknown>;
  beforeEach(async () => {
    company = await openGitHubCompany();
    config = { base_url: company.peer.baseUrl, repositories: ['acme'] };
  });
  afterEach(() => company.peer.close());

  const settings = () => ({ config, credentials: { token: TOKEN } });
  const pull = (options: PullOptions = {}) => pullAll(github, settings(), options);
  const whole = async () => lastCursor(await pull());
  const ids = (items: readonly SourceItem[]) =>
    [...itemsOf(items, 'stub'), ...entitiesOf(items)].map(({ id }) => id);
  const parts = (items: readonly SourceItem[], kind: 'listed' | 'lost') =>
    itemsOf(items, kind).map(({ partition }) => partition);
  /** Returns the paths that were asked for since the last call. */
  function asked(): string[] {
    const all = company.peer.requests.splice(0);
    return all.map(({ url }) => decodeURIComponent(url.pathname));
  }
  const hydrate = async (items: readonly SourceItem[]) => {
    const all: SourceItem[] = [];
    for await (const item of must(github.hydrate)(
      contextOf(github, settings()),
      itemsOf(items, 'stub'),
    ))
      all.push(item);
    return all;
  };

  it('asks a repository without changes for nothing but what has changed', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'a' } });
    company.addIssue(web, {});
    const cursor = await whole();
    asked();
    const items = await pull({ cursor });
    assert.deepEqual(asked(), [
      '/user',
      '/users/acme',
      '/orgs/acme/repos',
      '/repos/acme/web/issues',
      '/repos/acme/web/issues/comments',
      '/repos/acme/web/pulls/comments',
    ]);
    assert.deepEqual(ids(items), [`${web.id}`]);
    assert.deepEqual(parts(items, 'listed'), []);
  });

  it('finds an issue that GitHub shows up to a minute after its time', async () => {
    const web = company.addRepository('acme/web');
    const cursor = await whole();
    const issue = company.addIssue(web, { updatedAt: secondsAgo(50) });
    assert.ok(ids(await pull({ cursor })).includes(`${web.id}/issues/${issue.number}`));
  });

  it('asks for the tree again after a push that may have followed another one in the same second', async () => {
    company.startNow();
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'a' } });
    const { pushedAt } = web;
    const cursor = await whole();
    company.write(web, 'b.ts', 'b');
    web.pushedAt = pushedAt;
    assert.ok(ids(await pull({ cursor })).includes(`${web.id}/files/b.ts`));
  });

  it('keeps the only comment of an issue, and of a line, that has changed', async () => {
    const web = company.addRepository('acme/web');
    const issue = company.addIssue(web);
    const request = company.addIssue(web, { isPull: true });
    const { id } = company.comment(web, issue, { body: 'on the issue' });
    const line = company.comment(web, request, { body: 'on a line', path: 'a.ts' });
    const cursor = await whole();
    company.startNow();
    for (const one of [issue, request]) company.edit(one, { title: 'Other' });
    const items = await pull({ cursor });
    assert.deepEqual(parts(items, 'listed'), ['acme/web/issues/1', 'acme/web/issues/2']);
    const found = ids(items);
    assert.ok(found.includes(`${web.id}/comments/${id}`), 'the comment');
    assert.ok(found.includes(`${web.id}/review-comments/${line.id}`), 'the review comment');
  });

  it('asks for the tree of a pushed branch only when it is another tree', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'a', 'b.ts': 'b' } });
    const cursor = await whole();
    company.startNow();
    company.write(web, 'x', 'x', 'other');
    asked();
    assert.deepEqual(parts(await pull({ cursor }), 'listed'), []);
    assert.ok(!asked().some((path) => path.includes('/git/')));
    company.write(web, 'b.ts', null);
    const items = await pull({ cursor });
    assert.deepEqual(parts(items, 'listed'), ['acme/web/files']);
    assert.deepEqual(ids(items), [`${web.id}/files/a.ts`, `${web.id}`]);
  });

  it('reads the files of the chosen branch, and says where a repository has none', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'a' } });
    const api = company.addRepository('acme/api', { files: { 'b.ts': 'b' } });
    company.write(web, 'docs/höhe 1.md', 'x', 'feature/a b');
    config = { ...config, branch: 'feature/a b', kinds: ['files'] };
    const items = await pull();
    const [file] = entitiesOf(await hydrate(items));
    assert.equal(file?.url, 'https://github.com/acme/web/blob/feature/a%20b/docs/h%C3%B6he%201.md');
    assert.deepEqual(
      itemsOf(items, 'skip').map(({ id, detail }) => [id, detail]),
      [[`${api.id}/files`, "acme/api has no branch 'feature/a b'"]],
    );
    assert.deepEqual(
      parts(items, 'listed').filter((part) => part.endsWith('/files')),
      ['acme/web/files', 'acme/api/files'],
    );
  });

  it('lists an empty repository as empty, and asks again after the first push', async () => {
    const web = company.addRepository('acme/web');
    const items = await pull();
    assert.deepEqual(parts(items, 'listed').toSorted(), [
      'acme/web',
      'acme/web/files',
      'acme/web/issues',
    ]);
    assert.deepEqual(itemsOf(items, 'skip'), []);
    company.startNow();
    company.write(web, 'a.ts', 'a');
    assert.ok(ids(await pull({ cursor: lastCursor(items) })).includes(`${web.id}/files/a.ts`));
  });

  it('lists a cut tree folder by folder', async () => {
    const paths = [
      'README.md',
      'a/1.ts',
      'a/2.ts',
      'b/c/3.ts',
      'b/c/4.ts',
      'b/d/5.ts',
      'node_modules/x.js',
    ];
    const web = company.addRepository('acme/web', {
      files: Object.fromEntries(paths.map((path) => [path, path])),
    });
    company.settings.treeLimit = 4;
    const items = await pull();
    assert.deepEqual(
      itemsOf(items, 'stub')
        .map(({ id }) => id)
        .toSorted(),
      paths
        .slice(0, -1)
        .map((path) => `${web.id}/files/${path}`)
        .toSorted(),
    );
    company.settings.treeLimit = 1;
    const cut = await pull();
    const [lost] = itemsOf(cut, 'lost');
    assert.equal(lost?.partition, 'acme/web/files');
    assert.match(must(lost).error.message, /only a part of the folder \/ of acme\/web/);
    assert.ok(!parts(cut, 'listed').includes('acme/web/files'));
    company.settings.treeLimit = 100;
    assert.equal(
      itemsOf(await pull({ cursor: lastCursor(cut) }), 'stub').length,
      6,
      'it tries again',
    );
  });

  it('leaves out what has no text of its own, and does not ask for its content', async () => {
    company.addRepository('acme/web', {
      files: {
        'a.ts': 'text',
        'logo.png': 'PNG',
        '.env': 'KEY=1',
        'deep/id_rsa': 'key',
        'node_modules/x/y.js': 'x',
        'link.md': { content: 'a.ts', mode: '120000' },
        'vendor/lib': { content: 'commit', mode: '160000' },
        'run.sh': { content: 'echo', mode: '100755' },
        'large.txt': 'x'.repeat(21 * 2 ** 20),
      },
    });
    const items = await pull();
    asked();
    const read = await hydrate(items);
    assert.deepEqual(
      entitiesOf(read)
        .map(({ name }) => name)
        .toSorted(),
      ['a.ts', 'run.sh'],
    );
    assert.equal(asked().length, 2);
    const reasons = itemsOf([...items, ...read], 'skip').map(({ id, reason }) => [
      id.replace(/^\d+\/files\//, ''),
      reason,
    ]);
    assert.deepEqual(
      new Map(reasons as [string, string][]),
      new Map([
        ['.env', 'left out as secrets'],
        ['deep/id_rsa', 'left out as secrets'],
        ['node_modules', 'left out as dependencies'],
        ['link.md', 'of links to other files'],
        ['vendor/lib', 'of submodules'],
        ['logo.png', 'of a kind without text'],
        ['large.txt', 'too large'],
      ]),
    );
  });

  describe('in pages of three', () => {
    let web: FakeRepository;
    const issueIds = (items: readonly SourceItem[]) =>
      [...new Set(ids(items).filter((id) => id.includes('/issues/')))].length;
    beforeEach(() => {
      company.settings.pageLimit = 3;
      web = company.addRepository('acme/web', { files: { 'a.ts': 'a' } });
      for (let i = 0; i < 10; i++) company.addIssue(web, {});
    });
    /** Calls `happen` when the listing of issues is asked for the n-th time. */
    const atListing = (n: number, happen: () => void) => {
      let count = 0;
      company.peer.fault = ({ url }) => {
        if (/\/issues$/.test(url.pathname) && ++count === n) happen();
        return undefined;
      };
    };

    it('finds every issue once and again those of the same second', async () => {
      const time = must(web.issues[0]).updatedAt;
      for (const issue of web.issues.slice(2, 9)) issue.updatedAt = time;
      assert.equal(issueIds(await pull()), 10);
    });

    it('finds every issue when GitHub leaves out those of the time since which it is asked', async () => {
      company.settings.isAfterSince = true;
      const time = must(web.issues[2]).updatedAt;
      for (const issue of web.issues.slice(3, 5)) issue.updatedAt = time;
      assert.equal(issueIds(await pull()), 10);
    });

    it('reads on after empty pages', async () => {
      company.settings.emptyPages = true;
      assert.equal(issueIds(await pull()), 10);
    });

    it('misses no issue when one is changed or deleted while they are listed', async () => {
      company.startNow();
      for (const n of [2, 3, 4]) {
        atListing(n, () => company.edit(must(web.issues[0]), {}));
        assert.equal(issueIds(await pull()), 10, `changed before page ${n}`);
      }
      atListing(2, () => void web.issues.splice(1, 1));
      assert.equal(issueIds(await pull()), 10, 'the deleted one was listed before');
    });

    it('does not take another page for the one that it asked for', async () => {
      let count = 0;
      company.peer.fault = ({ url }) =>
        /\/issues$/.test(url.pathname) && ++count === 2 ? 'again' : undefined;
      await assert.rejects(pull(), { kind: 'transient', message: /another page/ });
    });

    for (const length of [4, 7])
      it(`finds each of ${length} repositories although one is deleted while they are listed`, async () => {
        const others = Array.from({ length }, (_, i) => company.addRepository(`acme/r${i}`));
        let count = 0;
        company.peer.fault = ({ url }) => {
          if (url.pathname === '/orgs/acme/repos' && ++count === 2) company.remove(must(others[0]));
          return undefined;
        };
        const found = new Set(ids(await pull()));
        for (const { id } of company.repositories) assert.ok(found.has(`${id}`), `${id}`);
      });

    it('goes on in the middle of a repository', async () => {
      const issue = must(web.issues[9]);
      for (let i = 0; i < 8; i++) company.comment(web, issue, { body: `comment ${i}` });
      const all = await pull();
      const bookmarks = itemsOf(all, 'bookmark').map(({ position }) => position);
      assert.ok(bookmarks.length > 8);
      for (const [i, bookmark] of bookmarks.entries()) {
        asked();
        const rest = await pull({ bookmark: JSON.parse(JSON.stringify(bookmark)) });
        const before = all.slice(
          0,
          all.findIndex((item) => item.kind === 'bookmark' && item.position === bookmark),
        );
        assert.deepEqual(new Set(ids([...before, ...rest])), new Set(ids(all)), `bookmark ${i}`);
        assert.deepEqual(
          new Set(parts([...before, ...rest], 'listed')),
          new Set(parts(all, 'listed')),
        );
        const paths = asked();
        assert.equal(paths.includes('/repos/acme/web/branches/main'), false, 'the files are done');
        assert.deepEqual(Object.keys((lastCursor(rest) as { repositories: object }).repositories), [
          `${web.id}`,
        ]);
      }
      const last = must(bookmarks.at(-2));
      await pull({ bookmark: last });
      assert.ok(!asked().includes('/repos/acme/web/issues'), 'the issues are done');
    });

    it('reads all comments of a changed issue', async () => {
      const cursor = await whole();
      company.startNow();
      const issue = must(web.issues[4]);
      for (let i = 0; i < 7; i++) company.comment(web, issue, { body: `comment ${i}` });
      const items = await pull({ cursor });
      const thread = `acme/web/issues/${issue.number}`;
      const until = items.findIndex((item) => item.kind === 'listed' && item.partition === thread);
      assert.equal(
        itemsOf(items.slice(0, until), 'upsert').filter(({ partition }) => partition === thread)
          .length,
        7,
      );
      assert.deepEqual(parts(items, 'listed'), [thread]);
    });
  });

  it('copies only the chosen kinds, with their comments', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'a' } });
    const issue = company.addIssue(web, { labels: ['bug'] });
    const request = company.addIssue(web, {
      isPull: true,
      mergedAt: '2024-05-06T07:08:09Z',
      state: 'closed',
    });
    company.comment(web, issue, { body: 'on the issue' });
    company.comment(web, request, { body: 'on the pull request', author: null });
    company.comment(web, request, { body: 'on a line', path: 'a.ts' });
    const kinds = async (...chosen: string[]) => {
      config = { ...config, kinds: chosen };
      return [...itemsOf(await pull(), 'stub'), ...entitiesOf(await pull())]
        .map(({ type }) => type.replace('GitHub', ''))
        .toSorted();
    };
    assert.deepEqual(await kinds('files'), ['File', 'Repository']);
    assert.deepEqual(await kinds('issues'), ['Comment', 'Issue', 'Repository']);
    assert.deepEqual(await kinds('pull_requests'), [
      'Comment',
      'PullRequest',
      'Repository',
      'ReviewComment',
    ]);
    asked();
    config = { ...config, kinds: ['files'] };
    await pull();
    assert.ok(!asked().some((path) => /issues|pulls/.test(path)));
  });

  it('reads missing and odd values of a record as empty, and goes on', async () => {
    const web = company.addRepository('acme/web');
    company.addIssue(web, { title: 'Weir' });
    const times = { created_at: '2024-05-06T07:08:09Z', updated_at: '2024-05-06T07:08:09Z' };
    const issue = {
      ...{ number: 1, title: null, body: 7, html_url: '', state: null, comments: 1, ...times },
      ...{ user: {}, labels: ['old', null, { name: 8 }], assignees: [null], milestone: {} },
      closed_at: 'never',
    };
    const comment = {
      ...{ id: 1, body: null, html_url: '', ...times },
      issue_url: `${company.peer.baseUrl}/repos/acme/web/issues/1`,
    };
    company.peer.fault = ({ url }) => {
      if (/\/issues$/.test(url.pathname)) return json(200, [issue]);
      return /\/issues\/comments$/.test(url.pathname) ? json(200, [comment]) : undefined;
    };
    const read = entitiesOf(await pull()).filter(({ type }) => type !== 'GitHubRepository');
    assert.deepEqual(
      read.map(({ name, text, fields }) => [name, text, fields.author]),
      [
        ['#1 ', '7', null],
        ['ghost on acme/web#1', '', null],
      ],
    );
    assert.deepEqual(
      [must(read[0]).fields.labels, must(read[0]).fields.assignees, must(read[0]).fields.closed_at],
      [['old'], [], null],
    );
  });

  it('shows where each record belongs', async () => {
    const web = company.addRepository('acme/web', { files: { 'src/a.ts': 'a' } });
    const request = company.addIssue(web, {
      isPull: true,
      title: 'Mend the weir',
      body: 'With stones.',
      labels: ['urgent'],
      state: 'closed',
      mergedAt: '2024-05-06T07:08:09Z',
    });
    company.comment(web, request, { body: 'Here.', author: null, path: 'src/a.ts' });
    const entities = new Map(entitiesOf(await pull()).map((entity) => [entity.type, entity]));
    const repository = { id: `${web.id}`, name: 'acme/web', type: 'GitHubRepository' };
    const pulled = must(entities.get('GitHubPullRequest'));
    assert.deepEqual(
      [pulled.id, pulled.name, pulled.text, pulled.url, pulled.breadcrumbs],
      [
        `${web.id}/issues/1`,
        '#1 Mend the weir',
        'With stones.',
        'https://github.com/acme/web/pull/1',
        [repository],
      ],
    );
    assert.deepEqual(pulled.fields, {
      repository: 'acme/web',
      number: 1,
      author: 'ann',
      assignees: [],
      labels: ['urgent'],
      milestone: null,
      closed_at: null,
      state: 'merged',
      draft: false,
    });
    const comment = must(entities.get('GitHubReviewComment'));
    assert.deepEqual(
      [comment.name, comment.text, comment.context, comment.breadcrumbs, comment.fields],
      [
        'ghost on acme/web#1',
        'Here.',
        'src/a.ts',
        [repository, { id: `${web.id}/issues/1`, name: '#1', type: 'GitHubPullRequest' }],
        { repository: 'acme/web', number: 1, author: null, path: 'src/a.ts' },
      ],
    );
  });

  describe('of several owners', () => {
    it('lists the private repositories of the own account, and only public ones of other people', async () => {
      company.people.push({ login: 'ann', email: null });
      const mine = company.addRepository('octocat/notes', { isPrivate: true });
      company.addRepository('ann/secret', { isPrivate: true });
      const shared = company.addRepository('ann/shared');
      config = { ...config, repositories: ['Octocat', 'ann', 'ann/shared'], kinds: ['files'] };
      const items = await pull();
      assert.deepEqual(ids(items), [`${mine.id}`, `${shared.id}`]);
      assert.deepEqual(
        parts(items, 'listed').filter((part) => part.split('/').length === 2),
        ['octocat/notes', 'ann/shared'],
      );
    });

    it('asks a repository itself when the list of its owner does not tell its branch', async () => {
      const web = company.addRepository('acme/web', { defaultBranch: 'trunk' });
      company.write(web, 'a.ts', 'a');
      const blocked = company.addRepository('acme/blocked');
      blocked.refusal = message(451, 'Repository access blocked');
      company.settings.listsLess = true;
      const items = await pull();
      assert.deepEqual(ids(items).toSorted(), [`${web.id}`, `${web.id}/files/a.ts`]);
      assert.deepEqual(parts(items, 'lost'), ['acme/blocked']);
    });

    it('keeps the records of an owner who cannot be listed, and of whom GitHub leaves something out', async () => {
      company.addRepository('acme/web');
      company.settings.sso = 'partial-results; organizations=1';
      const [partial] = itemsOf(await pull(), 'lost');
      assert.equal(partial?.partition, 'acme');
      assert.match(must(partial?.error.hint), /Configure SSO/);
      config = { ...config, repositories: ['acme', 'Gone', 'acme/gone'] };
      company.settings.sso = 'required; url=https://github.com/orgs/acme/sso';
      const items = await pull();
      assert.deepEqual(parts(items, 'lost'), ['gone']);
      const [gone] = itemsOf(items, 'skip');
      assert.deepEqual([gone?.id, gone?.reason], ['acme/gone', 'that GitHub does not show']);
    });
  });

  it('tells a limit from a missing permission, and says both in the words of GitHub', async () => {
    const web = company.addRepository('acme/web');
    const refused = (text: string, headers: Record<string, string> = {}) => {
      web.refusal = message(403, text, headers);
      return pull();
    };
    await assert.rejects(refused('You have exceeded a secondary rate limit.'), {
      kind: 'rate_limited',
      retryAfter: 60,
      message: /GitHub asks to wait: You have exceeded a secondary rate limit\./,
    });
    await assert.rejects(
      refused('You have exceeded a secondary rate limit.', { 'retry-after': '77' }),
      {
        kind: 'rate_limited',
        retryAfter: 77,
      },
    );
    const items = await refused('Resource not accessible by personal access token');
    assert.deepEqual(parts(items, 'lost'), ['acme/web/files', 'acme/web/issues']);
    assert.match(must(itemsOf(items, 'lost')[0]).error.message, /403: Resource not accessible/);
  });

  it('lists a part again that was refused before', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'a' } });
    company.addIssue(web, {});
    web.refusal = message(451, 'Repository access blocked');
    const refused = await pull({ cursor: await whole() });
    assert.deepEqual(ids(refused), [`${web.id}`]);
    web.refusal = null;
    const items = await pull({ cursor: lastCursor(refused) });
    assert.deepEqual(ids(items).toSorted(), [
      `${web.id}`,
      `${web.id}/files/a.ts`,
      `${web.id}/issues/1`,
    ]);
    const next = lastCursor(items);
    assert.deepEqual(ids(await pull({ cursor: next })), [`${web.id}`]);
    company.addIssue(web, { updatedAt: secondsAgo(50) });
    web.refusal = message(451, 'Repository access blocked');
    const again = await pull({ cursor: next });
    web.refusal = null;
    const since = (cursor: unknown) =>
      (cursor as { repositories: Record<string, { since: string }> }).repositories[web.id]?.since;
    assert.equal(since(lastCursor(again)), since(next));
  });

  it('offers the repositories that the account sees', async () => {
    company.addRepository('acme/web', { description: 'The site' });
    company.addRepository('acme/api');
    company.addRepository('octocat/webs', { isPrivate: true });
    const options = (query: string, limit = 50) =>
      must(github.options)(contextOf(github, settings()), { field: 'repositories', query, limit });
    assert.deepEqual(await options('WEB'), [
      { value: 'acme/web', title: 'acme/web', description: 'The site' },
      { value: 'octocat/webs', title: 'octocat/webs', description: undefined },
    ]);
    assert.equal((await options('')).length, 3);
    assert.equal((await options('', 2)).length, 2);
  });

  it('is stopped between two requests', async () => {
    company.addRepository('acme/web', { files: { 'a.ts': 'a' } });
    const stop = new AbortController();
    const items = pullOf(github, settings(), { signal: stop.signal });
    await items.next();
    stop.abort(new Error('enough'));
    await assert.rejects(async () => {
      for await (const _ of items);
    }, /enough/);
  });
});

describe('the configuration of github', () => {
  const accepts = (config: object) => github.config.safeParse(config).success;
  it('takes owners and repositories, and nothing that leads elsewhere', () => {
    for (const name of ['acme', 'acme/web', 'a-b/c.d_e', 'acme/.github'])
      assert.ok(accepts({ repositories: [name] }), name);
    for (const name of [
      '',
      '/',
      'acme/',
      '/web',
      'acme/web/x',
      'acme/..',
      'acme/.',
      '../user',
      'a?b',
      'a/b?c',
      'a/b#c',
      'a b',
      'a\n/b',
      'https://github.com/acme/web',
    ])
      assert.ok(!accepts({ repositories: [name] }), name);
    assert.ok(!accepts({ repositories: [] }));
    assert.ok(!accepts({}));
    assert.ok(!accepts({ repositories: Array.from({ length: 101 }, (_, i) => `a/r${i}`) }));
    assert.ok(!accepts({ repositories: ['acme'], kinds: [] }));
    assert.ok(!accepts({ repositories: ['acme'], kinds: ['wikis'] }));
  });

  it('signs in at the host of the API', () => {
    const urls = (base_url?: string) => {
      const config = github.config.parse({ repositories: ['acme'], ...(base_url && { base_url }) });
      const { authorizeUrl, tokenUrl } = must(github.auth.oauth);
      return [authorizeUrl, tokenUrl].map((url) => (typeof url === 'string' ? url : url(config)));
    };
    assert.deepEqual(urls(), [
      'https://github.com/login/oauth/authorize',
      'https://github.com/login/oauth/access_token',
    ]);
    assert.deepEqual(urls('https://git.acme.example/api/v3'), [
      'https://git.acme.example/login/oauth/authorize',
      'https://git.acme.example/login/oauth/access_token',
    ]);
  });
});

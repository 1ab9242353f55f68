/**
 * Tests through the whole pipeline how the records of repositories change when repositories change, move and disappear,
 * and who finds the records.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { github } from '../../sources/catalog/github.ts';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { type GitHubCompany, openGitHubCompany, TOKEN } from './github-company.ts';
import { message } from './github-refusal.ts';

describe('records of github', () => {
  let quarry: TestQuarry;
  let company: GitHubCompany;
  let connection: string;
  let collection: string;
  let made = 0;
  before(async () => {
    quarry = await openTestQuarry(
      await must(DATABASES.find(({ name }) => name === 'sqlite')).open(),
      { sources: new Map([['github', github]]), env: { QUARRY_ALLOW_LOOPBACK: 'true' } },
    );
  });
  after(() => quarry.close());
  beforeEach(async () => {
    company = await openGitHubCompany();
  });
  afterEach(() => company.peer.close());

  async function connect(...repositories: string[]): Promise<void> {
    collection = `github-${made++}`;
    await quarry.ok('POST', '/v1/collections', { name: 'GitHub', readable_id: collection });
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      name: 'Our repositories',
      short_name: 'github',
      readable_collection_id: collection,
      authentication: { credentials: { token: TOKEN } },
      config: { base_url: company.peer.baseUrl, repositories },
      sync_immediately: false,
      schedule: { cron: null, continuous: true },
    });
    connection = id;
    await sync();
    company.startNow();
  }
  async function sync(query = '') {
    const job = await quarry.sync(connection, query);
    assert.equal(job.status, 'completed', job.error);
    return job;
  }
  const full = () => sync('?force_full_sync=true');
  const records = async (): Promise<string[]> => {
    const rows = await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`);
    return rows.map((row: { entity_id: string }) => row.entity_id).toSorted();
  };
  const search = async (query: string, principals?: string) => {
    const headers = principals === undefined ? {} : { 'x-principals': principals };
    const body = { query, limit: 20, generate_answer: false };
    const { results } = await quarry.ok(
      'POST',
      `/v1/collections/${collection}/search`,
      body,
      headers,
    );
    return results as {
      entity_id: string;
      url: string;
      breadcrumbs: string[];
      metadata: any;
    }[];
  };
  /** Returns the ids of all found records except repositories, which a search finds by meaning for every word. */
  const find = async (word: string, principals?: string) =>
    (await search(word, principals))
      .map(({ entity_id }) => must(entity_id.split('__')[0]))
      .filter((id) => id.includes('/'));

  it('are those of the new commits after a branch is rewritten by force', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'heron', 'b.ts': 'weir' } });
    await connect('acme/web');
    must(web.branches.get('main')).clear();
    company.write(web, 'c.ts', 'kingfisher');
    const job = await sync();
    assert.equal(job.sync_metadata.full, false);
    assert.deepEqual(await records(), [`${web.id}`, `${web.id}/files/c.ts`]);
  });

  it('keep their ids and get new addresses when a repository is renamed or moves to another owner', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'heron' } });
    company.comment(web, company.addIssue(web, { body: 'weir' }), { body: 'kingfisher' });
    await connect('acme/web');
    const before = await records();
    for (const name of ['acme/site', 'other/site']) {
      company.rename(web, name);
      const job = await sync();
      assert.deepEqual([job.entities_inserted, job.entities_deleted], [0, 0]);
      assert.deepEqual(await records(), before);
      const results = await search('heron');
      for (const { entity_id, url, breadcrumbs } of results) {
        assert.ok(url.startsWith(`https://github.com/${name}`), `${entity_id} ${url}`);
        if (entity_id.includes('/')) assert.equal(breadcrumbs[0], name);
      }
      assert.equal(results.length, before.length);
      await full();
      assert.deepEqual(await records(), before);
    }
  });

  it('are deleted with a repository that leaves its owner, or that GitHub no longer shows, and stay when the repository itself is configured', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'heron' } });
    const api = company.addRepository('acme/api', { files: { 'b.ts': 'weir' } });
    await connect('acme', 'acme/api');
    company.rename(web, 'elsewhere/web');
    await full();
    assert.deepEqual(await records(), [`${api.id}`, `${api.id}/files/b.ts`]);
    company.rename(api, 'other/api');
    await full();
    assert.deepEqual(await records(), [`${api.id}`, `${api.id}/files/b.ts`]);
    company.remove(api);
    const job = await full();
    assert.deepEqual([await records(), job.entities_skipped], [[], 1]);
  });

  it('stay when GitHub blocks the repository', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'heron' } });
    company.addIssue(web, { body: 'weir' });
    await connect('acme/web');
    const before = await records();
    for (const status of [403, 451]) {
      web.refusal = message(status, 'Repository access blocked');
      const job = await full();
      assert.deepEqual([await records(), job.entities_failed], [before, 1]);
    }
    assert.equal((await find('heron'))[0], `${web.id}/files/a.ts`);
  });

  it('of a file do not show its old text when GitHub does not send it, and stay while it asks to wait', async () => {
    for (const status of [403, 404]) {
      const name = `acme/web-${status}`;
      const web = company.addRepository(name, { files: { 'a.ts': 'heron' } });
      await connect(name);
      company.write(web, 'a.ts', 'weir');
      company.peer.fault = ({ url }) =>
        url.pathname.includes('/git/blobs/') ? message(status, 'Forbidden') : undefined;
      const job = await sync();
      assert.deepEqual(
        [job.skipped_by_reason, job.entities_failed, job.entities_deleted],
        [{ 'not given out by GitHub': 1 }, 0, 1],
      );
      assert.deepEqual([await find('heron'), await records()], [[], [`${web.id}`]]);
      company.peer.fault = () => undefined;
    }
    const web = company.addRepository('acme/slow', { files: { 'a.ts': 'heron' } });
    await connect('acme/slow');
    company.write(web, 'a.ts', 'weir');
    let limits = 2;
    company.peer.fault = ({ url }) =>
      url.pathname.includes('/git/blobs/') && limits-- > 0
        ? message(403, 'You have exceeded a secondary rate limit.')
        : undefined;
    const job = await sync();
    assert.deepEqual([job.entities_updated, job.entities_deleted], [1, 0]);
  });

  it('lose a deleted comment with the next change of its issue, or with the next full sync', async () => {
    const web = company.addRepository('acme/web');
    const [one, other] = [company.addIssue(web), company.addIssue(web, { isPull: true })];
    company.comment(web, one, { body: 'heron' });
    company.comment(web, other, { body: 'weir' });
    company.comment(web, other, { body: 'kingfisher', path: 'a.ts' });
    const kept = company.comment(web, other, { body: 'otter' });
    await connect('acme/web');
    web.comments.splice(0, 2);
    web.reviewComments.pop();
    company.edit(other, { title: 'Changed' });
    assert.equal((await sync()).entities_deleted, 2);
    assert.ok((await records()).includes(`${web.id}/comments/${kept.id}`));
    assert.equal((await full()).entities_deleted, 1);
    assert.deepEqual(await records(), [
      `${web.id}`,
      `${web.id}/comments/${kept.id}`,
      `${web.id}/issues/1`,
      `${web.id}/issues/2`,
    ]);
  });

  it('stay one record when an issue becomes a pull request', async () => {
    const web = company.addRepository('acme/web');
    const issue = company.addIssue(web, { body: 'heron' });
    await connect('acme/web');
    company.edit(issue, { isPull: true });
    company.comment(web, issue, { body: 'weir', path: 'a.ts' });
    await sync();
    const [first] = await search('heron');
    assert.deepEqual(
      [first?.entity_id, first?.metadata.entity_type, first?.url],
      [`${web.id}/issues/1__chunk_0`, 'GitHubPullRequest', 'https://github.com/acme/web/pull/1'],
    );
    assert.equal((await records()).length, 3);
  });

  it('[ENT-24] [ENT-17] are found by the people who may read them, under names with their source and account', async () => {
    company.people.push({ login: 'Ann', email: 'Ann@Acme.example' }, { login: 'ben', email: null });
    const vault = company.addRepository('acme/vault', {
      isPrivate: true,
      collaborators: ['Ann', 'ben'],
      files: { 'a.ts': 'heron' },
    });
    company.comment(vault, company.addIssue(vault, { body: 'heron' }), { body: 'heron' });
    company.addRepository('acme/web', { files: { 'b.ts': 'heron' } });
    await connect('acme');
    const { host } = new URL(company.peer.baseUrl);
    const account = `octocat@${host}`;
    const found = async (principals: string) =>
      (await find('heron', principals)).filter((id) => id.startsWith(`${vault.id}/`)).length;
    assert.equal(await found('user:ann@acme.example'), 3);
    for (const login of ['ann', 'ben'])
      assert.equal(await found(`group:github/${account}/login/${login}`), 3);
    for (const other of [
      'user:ben',
      'group:login/ben',
      `group:repository/${vault.id}`,
      `group:github/mallory@${host}/login/ben`,
      `group:linear/${account}/repository/${vault.id}`,
    ])
      assert.equal(await found(other), 0, other);
    assert.equal((await find('heron', 'user:nobody@acme.example')).length, 1, 'the public file');
    vault.collaborators.shift();
    await full();
    assert.equal(await found('user:ann@acme.example'), 0);
    assert.equal(await found(`group:github/${account}/login/ben`), 3);
  });

  it('are hidden from other people by the next sync after a repository becomes private', async () => {
    const web = company.addRepository('acme/web', { files: { 'a.ts': 'heron' } });
    company.comment(web, company.addIssue(web, { body: 'heron' }), { body: 'heron' });
    await connect('acme');
    assert.equal((await find('heron', 'user:nobody@acme.example')).length, 3);
    web.isPrivate = true;
    const job = await sync();
    assert.equal(job.sync_metadata.full, false);
    assert.deepEqual(await find('heron', 'user:nobody@acme.example'), []);
    assert.equal((await find('heron')).length, 3);
  });

  it('are shown to no reader, with a reason in the job, when GitHub does not tell who may read them', async () => {
    company.people.push({ login: 'ann', email: 'ann@acme.example' });
    const vault = company.addRepository('acme/vault', {
      isPrivate: true,
      collaborators: ['ann'],
      canListReaders: false,
      files: { 'a.ts': 'heron' },
    });
    await connect('acme');
    assert.deepEqual(await find('heron', 'user:ann@acme.example'), []);
    const job = await full();
    const skipped = await quarry.ok(
      'GET',
      `/v1/source-connections/${connection}/jobs/${job.id}/skipped`,
    );
    assert.equal(skipped[0].reason, 'whose members are unknown');
    assert.match(JSON.stringify(skipped[0]), /Must have push access.*acme\/vault/);
    vault.canListReaders = true;
    await full();
    assert.deepEqual(await find('heron', 'user:ann@acme.example'), [`${vault.id}/files/a.ts`]);
  });
});
